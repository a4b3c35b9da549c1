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
        "npy" => arss_table::write_indices(out, indices),
        _ => indices.iter().try_for_each(|index| writeln!(out, "{index}")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_header_has_an_even_length() {
        for count in [0, 1, 7, 100_000] {
            let mut bytes = Vec::new();
            arss_table::write_indices(&mut bytes, &vec![3; count]).unwrap();
            assert_eq!((bytes.len() - 8 * count) % 64, 0);
        }
    }
}
