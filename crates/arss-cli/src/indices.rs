//! The numbers of the chosen items as a file: text, JSON or .npy by its name.

use std::io::Write;
use std::path::Path;

/// Writes the numbers, best first, in the format that the name of `target` asks for.
pub fn write(out: &mut dyn Write, target: &Path, indices: &[usize]) -> std::io::Result<()> {
    let extension = target.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "json" => {
            serde_json::to_writer(&mut *out, indices)?;
            out.write_all(b"\n")
        }
        "npy" => write_npy(out, indices),
        _ => indices.iter().try_for_each(|index| writeln!(out, "{index}")),
    }
}

/// One dimension of 64-bit integers.
fn write_npy(out: &mut dyn Write, indices: &[usize]) -> std::io::Result<()> {
    let text = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': ({},), }}", indices.len());
    // Magic, version, length and text together are a multiple of 64 bytes, as numpy has it.
    let length = (text.len() + 1 + 10).next_multiple_of(64) - 10;
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(length as u16).to_le_bytes())?;
    writeln!(out, "{text:<width$}", width = length - 1)?;
    indices.iter().try_for_each(|&index| out.write_all(&(index as i64).to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_an_even_length() {
        for count in [0, 1, 7, 100_000] {
            let mut bytes = Vec::new();
            write_npy(&mut bytes, &vec![3; count]).unwrap();
            assert_eq!((bytes.len() - 8 * count) % 64, 0);
        }
    }
}
