//! Options that are chosen by name: one list serves flags, their help and the arguments of other languages.

/// An option with a fixed set of values, each of which has a name and a line of help.
pub trait ByName: Copy + PartialEq + 'static {
    /// The values: name, value, and what it means.
    fn all() -> Vec<(&'static str, Self, &'static str)>;

    /// The value called `name`.
    fn by_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|(own, _, _)| *own == name).map(|(_, value, _)| value)
    }
}
