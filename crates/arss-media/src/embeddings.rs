//! What files are compared by: what is built in, a network, or numbers that the user has.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arss_table::numeric_view::NumericView;
use arss_table::{DenseMatrix, Encode, Missing, ReadOptions, Table, TableError, open, open_column};

use crate::described::Numbers;
use crate::kind::Kind;
use crate::media::Media;
use crate::open::MediaOptions;
use crate::progress::Progress;

/// Pictures that a network gets at once: progress is shown in between.
const TOGETHER: usize = 64;

/// Where the numbers come from that files are compared by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Embeddings {
    /// From the network, if there is one; otherwise what is built in.
    #[default]
    Auto,
    /// What is built in.
    BuiltIn,
    /// From the network.
    Network,
    /// From a table with a row for each file.
    File(PathBuf),
}

impl Embeddings {
    /// What a word means: `auto`, `builtin`, `network`, or the name of a file.
    pub fn of_word(word: &Path) -> Self {
        match word.to_str() {
            Some("auto") => Embeddings::Auto,
            Some("builtin") => Embeddings::BuiltIn,
            Some("network") => Embeddings::Network,
            _ => Embeddings::File(word.to_owned()),
        }
    }
}

/// A row for each of these pictures; the flag says whether to keep them for the next run.
type Embed = dyn Fn(&[PathBuf], bool) -> Result<DenseMatrix<f32>, String> + Send + Sync;

/// A network that turns pictures into numbers.
#[derive(Clone)]
pub struct Network(Arc<Embed>);

impl fmt::Debug for Network {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Network")
    }
}

impl Network {
    /// The network that `embed` calls with files, and with whether to keep what it finds for the next run.
    pub fn new(embed: impl Fn(&[PathBuf], bool) -> Result<DenseMatrix<f32>, String> + Send + Sync + 'static) -> Self {
        Network(Arc::new(embed))
    }

    fn numbers(&self, paths: &[PathBuf], keep: bool, progress: Progress<'_>) -> Result<Numbers, TableError> {
        let mut values = DenseMatrix { data: Vec::new(), rows: 0, columns: 0, by_column: false };
        for part in paths.chunks(TOGETHER) {
            let found =
                (self.0)(part, keep).map_err(|error| TableError::Run(format!("the network failed: {error}")))?;
            let fits = found.rows == part.len() && (values.rows == 0 || values.columns == found.columns);
            if !fits || found.by_column || found.data.iter().any(|value| !value.is_finite()) {
                return Err(TableError::Run("the network failed: it gave no numbers for a picture".to_owned()));
            }
            values.data.extend(found.data);
            (values.rows, values.columns) = (values.rows + found.rows, found.columns);
            progress(values.rows, paths.len());
        }
        Ok(Numbers { names: (0..values.columns).map(|at| format!("network_{at}")).collect(), values })
    }
}

/// What pictures are compared by, and what is to be said about it. `built_in` are the numbers that were computed.
pub fn of_pictures(
    built_in: Numbers,
    media: &Media,
    options: &MediaOptions,
    progress: Progress<'_>,
) -> Result<(Numbers, Option<String>), TableError> {
    match (&options.embeddings, &options.network) {
        (Embeddings::File(path), _) => Ok((of_file(path, media)?, None)),
        (Embeddings::Auto, Some(network)) => {
            let note = "note: pictures are compared by a network; --embeddings builtin does without";
            Ok((network.numbers(&media.readable_paths(), options.cache, progress)?, Some(note.to_owned())))
        }
        (Embeddings::Network, Some(network)) => {
            Ok((network.numbers(&media.readable_paths(), options.cache, progress)?, None))
        }
        (Embeddings::Network, None) => {
            let what = "--embeddings network needs the Python package with its network: pip install 'arss[images]'";
            Err(TableError::Input(what.to_owned()))
        }
        (Embeddings::Auto | Embeddings::BuiltIn, _) => Ok((built_in, None)),
    }
}

/// What files of this kind are compared by, in words.
pub fn in_words(kind: Kind, options: &MediaOptions) -> String {
    match (&options.embeddings, kind) {
        (Embeddings::File(path), _) => format!("the numbers in {}", path.display()),
        (_, Kind::Texts | Kind::Lines) => "the words of each text".to_owned(),
        (Embeddings::Auto | Embeddings::Network, _) if options.network.is_some() => {
            "a network that has learned ImageNet".to_owned()
        }
        _ => "the colours of a thumbnail and the directions of edges".to_owned(),
    }
}

/// The numbers in a file, a row for each file that could be read: by name if a column holds the names, otherwise in order.
///
/// # Errors
/// If the file cannot be read, or its rows do not fit the files.
pub fn of_file(path: &Path, media: &Media) -> Result<Numbers, TableError> {
    let options = ReadOptions { missing: Missing::Error, encode: Encode::None, ..ReadOptions::default() };
    let table = open(&[path.to_owned()], &options)?;
    let rows = rows_of(&table, path, media)?;
    let view = NumericView::new(&table.matrix).map_err(|error| TableError::in_file(path, error))?;
    let columns = table.matrix.shape().1;
    let mut data = Vec::with_capacity(rows.len() * columns);
    for &row in &rows {
        data.extend((0..columns).map(|column| view.get(row, column) as f32));
    }
    let values = DenseMatrix { data, rows: rows.len(), columns, by_column: false };
    Ok(Numbers { values, names: table.feature_names })
}

/// The row of each file that could be read.
fn rows_of(table: &Table, path: &Path, media: &Media) -> Result<Vec<usize>, TableError> {
    let rows = table.matrix.shape().0;
    let names: Vec<&str> = media.readable.iter().map(|&file| media.names[file].as_str()).collect();
    if let Some(found) = by_name(table, path, &names) {
        return found.map_err(|name| TableError::in_file(path, format_args!("has no row for {name}")));
    }
    match rows {
        rows if rows == media.names.len() => Ok(media.readable.clone()),
        rows if rows == names.len() => Ok((0..rows).collect()),
        _ => {
            let all = media.names.len();
            let what = format!("has {rows} rows for {all} files, and no column that holds their names");
            Err(TableError::in_file(path, what))
        }
    }
}

/// The row of each name, if a column of the file that is not compared by holds the first; the name that is in no row.
fn by_name(table: &Table, path: &Path, names: &[&str]) -> Option<Result<Vec<usize>, String>> {
    let others = (0..table.source.headings.len()).filter(|column| !table.feature_columns.contains(column));
    let cells_of = |column: usize| {
        let heading = &table.source.headings[column];
        open_column(&[path.to_owned()], &ReadOptions::default(), heading, &mut |_, _| ()).ok().map(|(_, cells)| cells)
    };
    let holds = |cells: &Vec<String>| cells.iter().any(|cell| Some(cell.as_str()) == names.first().copied());
    let cells = others.filter_map(cells_of).find(holds)?;
    let places: HashMap<&str, usize> = cells.iter().enumerate().map(|(row, cell)| (cell.as_str(), row)).collect();
    Some(names.iter().map(|name| places.get(name).copied().ok_or_else(|| (*name).to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_name_or_by_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.csv");
        let first = |media: &Media| -> Result<Vec<f32>, TableError> {
            Ok(of_file(&path, media)?.values.data.chunks(2).map(|row| row[0]).collect())
        };
        let names = ["a.png", "b.png", "c.png", "d.png"].map(str::to_owned).to_vec();
        let read = Media { names, readable: vec![0, 1, 3], ..Media::default() };
        std::fs::write(&path, "x,y\n1.5,2\n2.5,0\n3.5,1\n4.5,7\n").unwrap();
        assert_eq!(first(&read).unwrap(), [1.5, 2.5, 4.5]);
        std::fs::write(&path, "x,y\n1.5,2\n2.5,0\n3.5,1\n").unwrap();
        assert_eq!(first(&read).unwrap(), [1.5, 2.5, 3.5]);
        std::fs::write(&path, "x,y,name\n1.5,2,d.png\n2.5,0,a.png\n3.5,1,b.png\n4.5,3,other.png\n").unwrap();
        assert_eq!(first(&read).unwrap(), [2.5, 3.5, 1.5]);
        std::fs::write(&path, "x,y,name\n1.5,2,d.png\n2.5,0,a.png\n").unwrap();
        assert!(first(&read).unwrap_err().to_string().ends_with("own.csv: has no row for b.png"));
        std::fs::write(&path, "x,y\n1.5,2\n2.5,0\n").unwrap();
        let said = first(&read).unwrap_err().to_string();
        assert!(said.ends_with("has 2 rows for 4 files, and no column that holds their names"), "{said}");
    }

    #[test]
    fn a_network_that_fails_says_so() {
        let network = Network::new(|paths, _| {
            let rows = paths.iter().filter(|path| path.ends_with("good.png")).count();
            Ok(DenseMatrix { data: vec![1.0; 2 * rows], rows, columns: 2, by_column: false })
        });
        let numbers = |name: &str| network.numbers(&[PathBuf::from(name)], true, &|_, _| ());
        assert_eq!(numbers("good.png").unwrap().values.data, [1.0, 1.0]);
        assert!(numbers("bad.png").unwrap_err().to_string().contains("it gave no numbers for a picture"));
    }
}
