"""Makes the small pictures of odd kinds that `media.rs` reads."""

import io
import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

SIDE = 24


def wave(seed: int, side: int = SIDE) -> Image.Image:
    """A picture of waves."""
    y, x = np.mgrid[0:side, 0:side] * (24 / side)
    light = np.stack(
        [128 + 120 * np.sin(x * a / 9 + seed) * np.cos(y * b / 11) for a, b in ((1, 2), (3, 1), (2, 3))], 2
    )
    return Image.fromarray(light.astype(np.uint8))


wave(1).convert("CMYK").save("cmyk.jpg")
Image.fromarray(np.asarray(wave(2).convert("L")).astype(np.uint16) * 257).save("deep.png")
wave(3).convert("P").save("palette.gif")
wave(4).save("animated.gif", save_all=True, append_images=[wave(5), wave(6)])
wave(7).convert("P").save("palette.png")
wave(8).save("lossy.webp")
wave(9).save("plain.tiff")
wave(10).save("plain.bmp")
wave(11).save("progressive.jpg", progressive=True)
exif = Image.Exif()
exif[0x0112] = 6
wide = wave(12, 48).crop((0, 0, 48, 24))
wide.save("turned.jpg", exif=exif)
photo = wave(14, 300).crop((0, 0, 300, 203))
photo.save("photo.jpg", quality=80)
photo.save("photo_progressive.jpg", quality=80, progressive=True)
photo.convert("L").save("photo_grey.jpg", quality=80)
png = io.BytesIO()
wave(13).save(png, "png")
Path("really_png.jpg").write_bytes(png.getvalue())
Path("truncated.png").write_bytes(png.getvalue()[: len(png.getvalue()) // 2])
Path("empty.png").write_bytes(b"")
Path("text.png").write_text("this is no picture\n")


def chunk(kind: bytes, content: bytes) -> bytes:
    """A part of a PNG file."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
Path("bomb.png").write_bytes(bomb)
