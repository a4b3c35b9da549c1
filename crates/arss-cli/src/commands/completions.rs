//! `arss completions`: what a shell has to know to complete a command line.

use clap::CommandFactory;

use crate::args::Cli;
use crate::args::help::CompletionsArgs;
use crate::failure::Failure;
use crate::output_files;

/// Runs `arss completions`.
pub fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "arss", &mut script);
    output_files::print(&String::from_utf8_lossy(&script))
}
