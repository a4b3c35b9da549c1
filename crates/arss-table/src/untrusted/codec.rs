//! Compressed data within Parquet and Arrow files. The readers of some codecs ignore the announced size and keep all
//! that comes out. Such data is decompressed once beforehand, only to count its bytes.

use std::io::{self, Read};

use crate::untrusted::limit::MemoryLimit;

/// Archives that are unpacked until they end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// gzip.
    Gzip,
    /// Brotli.
    Brotli,
    /// Frames of LZ4.
    Lz4,
}

impl Codec {
    /// An archive unpacks to no more than so many times its size.
    fn ratio(self) -> u64 {
        match self {
            Codec::Gzip => 1033,
            Codec::Brotli => u64::MAX,
            Codec::Lz4 => 256,
        }
    }

    /// True if an archive of `size` bytes can be more than is allowed, so that it has to be counted.
    pub fn may_exceed(self, size: u64, limit: MemoryLimit) -> bool {
        size.saturating_mul(self.ratio()) > limit.bytes
    }

    /// True if the archive holds more than `announced` bytes; one that is broken does not, its reader says why.
    pub fn holds_more(self, packed: &[u8], announced: u64) -> bool {
        let reader: Box<dyn Read> = match self {
            Codec::Gzip => Box::new(flate2::read::MultiGzDecoder::new(packed)),
            Codec::Brotli => Box::new(brotli::Decompressor::new(packed, 1 << 16)),
            Codec::Lz4 => Box::new(lz4_flex::frame::FrameDecoder::new(packed)),
        };
        let counted = io::copy(&mut reader.take(announced.saturating_add(1)), &mut io::sink());
        counted.is_ok_and(|found| found > announced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn archives_are_counted() {
        let text = vec![7; 100_000];
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let mut lz4 = lz4_flex::frame::FrameEncoder::new(Vec::new());
        lz4.write_all(&text).unwrap();
        let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4096, 1, 20);
        brotli.write_all(&text).unwrap();
        let archives = [
            (Codec::Gzip, gzip.finish().unwrap()),
            (Codec::Lz4, lz4.finish().unwrap()),
            (Codec::Brotli, brotli.into_inner()),
        ];
        let limit = MemoryLimit { bytes: 1000, asked: true, disk: false };
        for (packer, packed) in archives {
            assert!(packed.len() < 2000, "{packer:?}");
            assert!(packer.holds_more(&packed, 99_999) && !packer.holds_more(&packed, 100_000), "{packer:?}");
            assert!(!packer.holds_more(&packed[..10], 100_000) && packer.may_exceed(4, limit), "{packer:?}");
        }
        assert!(!Codec::Lz4.may_exceed(3, limit) && !Codec::Gzip.may_exceed(0, limit));
    }
}
