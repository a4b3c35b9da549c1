//! The flags about the table that is read.

use std::path::PathBuf;

use arss::Metric;
use arss_table::{ByName, ColumnRole, Encode, Format, Missing, ReadOptions, Scale, TextEncoding, option_values};
use clap::{Args, ValueEnum};

use crate::args::by_name::by_name;
use crate::args::media::MediaArgs;

/// The table, and what is used of it.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The files of the table.
    #[arg(required = true, value_name = "INPUT", help = inputs_help())]
    pub inputs: Vec<PathBuf>,
    /// What the input is, if its name does not tell
    #[arg(long, value_parser = by_name::<Format>(), value_name = "NAME", help_heading = "Input")]
    pub format: Option<Format>,
    /// What separates the fields of a text file: a character, or tab [found out]
    #[arg(long, value_name = "CHAR", value_parser = option_values::delimiter, allow_hyphen_values = true)]
    pub delimiter: Option<u8>,
    /// Whether the first line of a text file holds names [found out]
    #[arg(long, value_enum, value_name = "WHETHER")]
    pub header: Option<Header>,
    /// How the letters of a text file are written, such as utf-16, latin1 or shift_jis [found out]
    #[arg(long, value_name = "NAME", value_parser = option_values::encoding)]
    pub encoding: Option<TextEncoding>,
    /// Lines of a text file that begin with this character are no rows [# before the header]
    #[arg(long, value_name = "CHAR", value_parser = option_values::comment)]
    pub comment: Option<u8>,
    /// Which array of a .npz file, or list of records of a .json file
    #[arg(long, value_name = "NAME")]
    pub array: Option<String>,
    /// Which sheet of an Excel file: its name, or its number from 1 [the first with cells]
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// Choose by these columns only: a,b,c [all that are fit for it]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
    /// Do not choose by these columns
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// Column that names the rows; not used to choose by
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Column that holds labels; never used to choose by
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Take columns for what they are, not for what they look like: price=number,zip=category
    #[arg(long = "as", value_name = "NAME=ROLE", value_delimiter = ',', value_parser = column_role, help = roles_help())]
    pub roles: Vec<(String, ColumnRole)>,
    /// How columns of text become numbers
    #[arg(long, value_parser = by_name::<Encode>(), value_name = "HOW", default_value = "auto")]
    pub encode: Encode,
    /// The decimal mark of numbers in text, a point or a comma [found out]
    #[arg(long, value_name = "MARK", value_parser = option_values::decimal_mark)]
    pub decimal: Option<char>,
    /// Use columns of true and false as 1 and 0, with --encode none, too
    #[arg(long)]
    pub booleans: bool,
    /// Use columns of dates and times as seconds, with --encode none, too
    #[arg(long)]
    pub dates: bool,
    /// What to do about missing values
    #[arg(long, value_parser = by_name::<Missing>(), value_name = "HOW", default_value = "auto")]
    pub missing: Missing,
    /// How columns are scaled before choosing; files always hold the values as they came [robust; none for --metric cosine and precomputed]
    #[arg(long, value_parser = by_name::<Scale>(), value_name = "HOW")]
    pub scale: Option<Scale>,
    /// How rows are compared: euclidean; cosine, by the angle between them, for embeddings; manhattan, by the sum of absolute
    /// differences; or precomputed: the table holds distances
    #[arg(long, value_parser = metric, value_name = "HOW", default_value = "euclidean")]
    pub metric: Metric,
    /// Pictures and texts.
    #[command(flatten)]
    pub media: MediaArgs,
}

impl InputArgs {
    /// How columns are scaled: directions and distances are taken as they come.
    pub fn scale(&self) -> Scale {
        let as_they_come = matches!(self.metric, Metric::Cosine | Metric::Precomputed);
        self.scale.unwrap_or(if as_they_come { Scale::None } else { Scale::default() })
    }

    /// What is read; the columns of groups and weights are named by other flags.
    pub fn options(&self, weights: Option<&str>, group: Option<&str>, memory: Option<u64>) -> ReadOptions {
        ReadOptions {
            format: self.format,
            delimiter: self.delimiter,
            header: self.header.map(|header| header == Header::Yes),
            encoding: self.encoding,
            comment: self.comment,
            array: self.array.clone(),
            sheet: self.sheet.clone(),
            columns: self.columns.clone(),
            exclude: self.exclude.clone(),
            id: self.id.clone(),
            label: self.label.clone(),
            group: group.map(str::to_owned),
            weights: weights.map(str::to_owned),
            roles: self.roles.clone(),
            encode: self.encode,
            decimal_comma: self.decimal.map(|mark| mark == ','),
            booleans: self.booleans,
            dates: self.dates,
            missing: self.missing,
            graph: self.metric == Metric::Precomputed,
            memory,
            scratch: None,
        }
    }
}

/// The help of the inputs, with the extensions of all formats.
fn inputs_help() -> String {
    let extensions = arss_table::read_extensions().join(", ");
    format!(
        "The table: {extensions}, text also as .gz, .zst, .bz2, .xz or .zip; - is stdin. Several files (or a 'pattern*') with the same \
         columns make one table; or a folder of pictures or texts"
    )
}

fn metric(name: &str) -> Result<Metric, String> {
    Metric::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
        format!("the metrics are {}", known.join(", "))
    })
}

/// The help of `--as`, with all roles.
fn roles_help() -> String {
    let names: Vec<&str> = ColumnRole::all().into_iter().map(|(name, _, _)| name).collect();
    format!("What columns are, whatever they look like: price=number,zip=category. Roles: {}", names.join(", "))
}

fn column_role(text: &str) -> Result<(String, ColumnRole), String> {
    let (name, role) = text.rsplit_once('=').unwrap_or((text, ""));
    let role = option_values::role(role).map_err(|known| format!("NAME=ROLE is taken; {known}"))?;
    Ok((name.to_owned(), role))
}

/// Whether a file has a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Header {
    /// The first line holds names
    Yes,
    /// The first line holds values
    No,
}
