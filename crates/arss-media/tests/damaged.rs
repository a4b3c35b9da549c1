//! Pictures with damaged bytes are read or refused in one line; nothing else.

use std::fs;
use std::path::Path;

use arss_media::decode;

/// Every picture of the tests, cut off anywhere and with any byte changed.
#[test]
fn damaged_pictures_end_in_a_line_or_a_picture() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../arss-cli/tests/pictures");
    let mut tried = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let step = bytes.len() / 300 + 1;
        for at in (0..bytes.len()).step_by(step) {
            check(&bytes[..at], &path);
            for change in [0x01, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] ^= change;
                check(&damaged, &path);
            }
            tried += 4;
        }
    }
    assert!(tried > 5000, "{tried}");
}

fn check(bytes: &[u8], path: &Path) {
    match decode(bytes) {
        Ok(picture) => assert_eq!(picture.rgb.len(), 3 * picture.width * picture.height),
        Err(said) => {
            assert!(!said.is_empty() && !said.contains('\n') && said.len() < 300, "{}: {said}", path.display());
        }
    }
}
