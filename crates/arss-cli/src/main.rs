//! The binary: the words of the command line in, an exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(arss_cli::run(std::env::args_os()))
}
