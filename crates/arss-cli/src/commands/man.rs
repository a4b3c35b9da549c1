//! `arss man`: the manual pages, made from the same descriptions as `--help`.

use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::Cli;
use crate::args::help::ManArgs;
use crate::failure::Failure;
use crate::output_files::{self, Files};

/// Runs `arss man`.
pub fn run(args: &ManArgs) -> Result<(), Failure> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &args.dir {
        return write_all(&root, folder, args.force);
    }
    let command = match &args.command {
        None => &root,
        Some(name) => root.find_subcommand(name).ok_or_else(|| no_command(&root, name))?,
    };
    output_files::print(&String::from_utf8_lossy(&page(command)))
}

fn no_command(root: &Command, name: &str) -> Failure {
    let names: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
    Failure::Input(format!("there is no command {name}; there are {}", names.join(", ")))
}

/// One file a command.
fn write_all(root: &Command, folder: &Path, force: bool) -> Result<(), Failure> {
    output_files::make_folder(folder)?;
    let commands = || std::iter::once(root).chain(root.get_subcommands());
    let targets: Vec<PathBuf> = commands().map(|command| folder.join(format!("{}.1", title(command)))).collect();
    targets.iter().try_for_each(|target| output_files::check_new(target, force))?;
    let mut files = Files::new(force);
    for (command, target) in commands().zip(&targets) {
        files.add(target, |out| out.write_all(&page(command)))?;
    }
    files.commit()
}

/// The name of the page.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn page(command: &Command) -> Vec<u8> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).title(title(command));
    // Writing to memory cannot fail.
    let _ = man.render(&mut page);
    page
}
