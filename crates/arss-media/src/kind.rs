//! The kinds of things that can be chosen from.

use arss_table::ByName;

/// What the files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// A table, which is not this crate's business.
    #[default]
    Table,
    /// Pictures.
    Images,
    /// Pictures that follow each other in time.
    Frames,
    /// A text in each file.
    Texts,
    /// A text in each line.
    Lines,
}

impl ByName for Kind {
    fn all() -> Vec<(&'static str, Self, &'static str)> {
        vec![
            ("table", Kind::Table, "Tables"),
            ("images", Kind::Images, "Pictures"),
            ("frames", Kind::Frames, "Pictures of a film, in the order of their names; or a video file"),
            ("texts", Kind::Texts, "A text in each file"),
            ("lines", Kind::Lines, "A text in each line"),
        ]
    }
}

impl Kind {
    /// What one of them is called.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Table => "row",
            Kind::Images => "picture",
            Kind::Frames => "frame",
            Kind::Texts | Kind::Lines => "text",
        }
    }
}
