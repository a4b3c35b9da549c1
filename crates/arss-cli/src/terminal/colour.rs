//! Whether colours are used.

use std::io::IsTerminal;

/// True if stderr is a terminal that shows colours and they are not disabled: NO_COLOR (set to anything) and
/// CLICOLOR=0 do. Help is printed by clap, which follows the same rules.
pub fn on_stderr() -> bool {
    let variable = |name: &str| std::env::var_os(name).unwrap_or_default();
    let refused = !variable("NO_COLOR").is_empty() || variable("CLICOLOR") == "0" || variable("TERM") == "dumb";
    !refused && std::io::stderr().is_terminal()
}
