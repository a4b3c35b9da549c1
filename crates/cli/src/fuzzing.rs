//! What the fuzz targets call: one file of any bytes, read and written as a run would.

use std::path::Path;

use crate::args_input::{Encode, InputArgs, Missing};
use crate::io::{self, Added, Extra, Picks, Target};

/// Bytes that may be held.
const MEMORY: u64 = 64 << 20;
/// Names that ask for every format.
const TARGETS: [&str; 6] = ["o.csv", "o.tsv.gz", "o.jsonl", "o.parquet", "o.arrow", "o.npy"];

/// Reads `bytes` as the file `name` and writes its first and last row in every format. Broken input is an error as
/// always; anything else that goes wrong is a panic.
pub fn read_and_write(name: &str, bytes: &[u8]) {
    for (encode, missing) in [(None, Missing::Drop), (Some(Encode::Ordinal), Missing::Median)] {
        let asked = encode.is_some();
        let args = InputArgs { encode, missing, booleans: asked, dates: asked, ..InputArgs::default() };
        let Ok(table) = io::read_bytes(bytes, name, &args.reading(None, None, Some(MEMORY))) else { continue };
        let (rows, columns) = table.values.shape();
        let picks = [rows - 1, 0];
        assert_eq!(table.cells(0).len(), table.headings().len());
        let extra = Extra { columns: vec![("rank", Added::Int(vec![1, 2])), ("score", Added::Float(vec![0.5, 2.0]))] };
        for target in TARGETS {
            let path = Path::new(target);
            let Ok(target) = Target::of(path) else { panic!("{target} is not known") };
            if table.check_target(path, target).is_ok() {
                // Some types have no words in some formats: such a file cannot be written, which is no panic.
                let _ = table.write(&mut std::io::sink(), target, Picks::Rows(&picks), &extra);
                let _ = table.write(&mut std::io::sink(), target, Picks::Columns(&[columns - 1]), &Extra::default());
            }
        }
    }
}
