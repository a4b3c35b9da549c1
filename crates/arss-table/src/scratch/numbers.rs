//! Numbers in files: little-endian, one behind the other.

use std::fs::File;
use std::io;

use arss::{Float, HalfKind};

/// Bytes that are converted at a time.
const PIECE: usize = 1 << 16;

/// A number that can stand in a file: `f32` or `f64`.
pub trait DiskFloat: Float {
    /// Bytes of one.
    const SIZE: usize;
    /// Writes it to `bytes`.
    fn put(self, bytes: &mut [u8]);
    /// Reads it from `bytes`.
    fn get(bytes: &[u8]) -> Self;
}

impl DiskFloat for f32 {
    const SIZE: usize = 4;
    fn put(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }
    fn get(bytes: &[u8]) -> Self {
        f32::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default())
    }
}

impl DiskFloat for f64 {
    const SIZE: usize = 8;
    fn put(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_le_bytes());
    }
    fn get(bytes: &[u8]) -> Self {
        f64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_default())
    }
}

/// Reads numbers from byte `offset` on; what lies beyond the end is zero if `beyond` allows it.
pub(crate) fn read<N: DiskFloat>(file: &File, mut offset: u64, numbers: &mut [N], beyond: bool) -> io::Result<()> {
    let mut bytes = vec![0; PIECE.min(numbers.len() * N::SIZE)];
    for part in numbers.chunks_mut(PIECE / N::SIZE) {
        // Only the last part is shorter.
        bytes.truncate(part.len() * N::SIZE);
        let found = read_at(file, offset, &mut bytes)?;
        if found < bytes.len() && !beyond {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.iter_mut().skip(found).for_each(|byte| *byte = 0);
        part.iter_mut().zip(bytes.chunks_exact(N::SIZE)).for_each(|(number, bytes)| *number = N::get(bytes));
        offset += bytes.len() as u64;
    }
    Ok(())
}

/// Reads numbers of 16 bits from byte `offset` on.
pub(crate) fn read_half<N: DiskFloat>(file: &File, mut offset: u64, numbers: &mut [N]) -> io::Result<()> {
    let (mut bytes, mut bits, mut wide) = (vec![0; PIECE], Vec::new(), Vec::new());
    for part in numbers.chunks_mut(PIECE / 2) {
        bytes.truncate(2 * part.len());
        if read_at(file, offset, &mut bytes)? < bytes.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bits.clear();
        bits.extend(bytes.as_chunks::<2>().0.iter().map(|&pair| u16::from_le_bytes(pair)));
        wide.clear();
        HalfKind::F16.widen_all(&bits, &mut wide);
        part.copy_from_slice(&wide);
        offset += bytes.len() as u64;
    }
    Ok(())
}

/// Writes numbers from byte `offset` on.
pub(crate) fn write<N: DiskFloat>(file: &File, mut offset: u64, numbers: &[N]) -> io::Result<()> {
    let mut bytes = vec![0; PIECE.min(numbers.len() * N::SIZE)];
    for part in numbers.chunks(PIECE / N::SIZE) {
        bytes.truncate(part.len() * N::SIZE);
        part.iter().zip(bytes.chunks_exact_mut(N::SIZE)).for_each(|(number, bytes)| number.put(bytes));
        write_at(file, offset, &bytes)?;
        offset += bytes.len() as u64;
    }
    Ok(())
}

/// Fills `bytes` from `offset` on as far as the file goes; how far that is.
pub(crate) fn read_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match at::read(file, bytes.get_mut(done..).unwrap_or_default(), offset + done as u64) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Writes all bytes from `offset` on.
pub(crate) fn write_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match at::write(file, bytes.get(done..).unwrap_or_default(), offset + done as u64) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(unix)]
mod at {
    use std::os::unix::fs::FileExt;
    pub fn read(file: &std::fs::File, bytes: &mut [u8], offset: u64) -> std::io::Result<usize> {
        file.read_at(bytes, offset)
    }
    pub fn write(file: &std::fs::File, bytes: &[u8], offset: u64) -> std::io::Result<usize> {
        file.write_at(bytes, offset)
    }
}

#[cfg(windows)]
mod at {
    use std::os::windows::fs::FileExt;
    pub fn read(file: &std::fs::File, bytes: &mut [u8], offset: u64) -> std::io::Result<usize> {
        file.seek_read(bytes, offset)
    }
    pub fn write(file: &std::fs::File, bytes: &[u8], offset: u64) -> std::io::Result<usize> {
        file.seek_write(bytes, offset)
    }
}
