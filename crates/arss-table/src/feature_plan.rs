//! Which columns are chosen by, and how: decided once everything was read.

use crate::chunks::{ChunkedTable, ReadAs};
use crate::column_kinds::{ColumnKind, KindCounts};
use crate::column_roles::{self, ColumnInfo, ColumnRole};
use crate::schema::{Asked, Purpose, kind_of};
use crate::text::{cut, joined, listed, named};
use crate::{Encode, Encoding, Missing, ReadOptions};

/// A column that is chosen by, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeatureColumn {
    /// Its numbers.
    Number(usize),
    /// 1 where it has one of these codes, 0 elsewhere; the first names it.
    OneHot(usize, Vec<u32>),
    /// The rank of each code.
    Ordinal(usize, Vec<u32>),
    /// This number of its vectors.
    Element(usize, usize),
}

/// What texts of too few rows are called together.
const RARE: &str = "(rare)";

impl FeatureColumn {
    /// The column of the file.
    pub fn column(&self) -> usize {
        match self {
            FeatureColumn::Number(column)
            | FeatureColumn::OneHot(column, _)
            | FeatureColumn::Ordinal(column, _)
            | FeatureColumn::Element(column, _) => *column,
        }
    }

    /// The column of the file that this is a category of.
    pub fn category(&self) -> Option<usize> {
        matches!(self, FeatureColumn::OneHot(_, _)).then(|| self.column())
    }

    /// The number of a vector; 0 for columns that hold one.
    pub fn element(&self) -> usize {
        if let FeatureColumn::Element(_, at) = self { *at } else { 0 }
    }

    /// What the column makes of a number or of the number of a text.
    #[inline]
    pub fn encode(&self, value: f64) -> f64 {
        match self {
            _ if value.is_nan() => f64::NAN,
            FeatureColumn::Number(_) | FeatureColumn::Element(_, _) => value,
            FeatureColumn::OneHot(_, codes) => f64::from(u8::from(codes.iter().any(|code| value == f64::from(*code)))),
            FeatureColumn::Ordinal(_, ranks) => f64::from(ranks[value as usize]),
        }
    }

    /// What the column holds of its column in the file.
    pub fn encoding(&self, table: &ChunkedTable) -> Encoding {
        let text = |column: usize, code: u32| table.dictionaries[column].names[code as usize].clone();
        match self {
            FeatureColumn::Number(_) => Encoding::Number,
            FeatureColumn::Element(_, at) => Encoding::Element(*at),
            FeatureColumn::OneHot(column, codes) => {
                Encoding::Texts(codes.iter().map(|&code| text(*column, code)).collect())
            }
            FeatureColumn::Ordinal(column, ranks) => {
                let mut codes: Vec<u32> = (0..ranks.len() as u32).collect();
                codes.sort_by_key(|&code| ranks[code as usize]);
                Encoding::Ranks(codes.into_iter().map(|code| text(*column, code)).collect())
            }
        }
    }

    /// The name of the column; one-hot columns are called `heading=text`, and `heading=(rare)` where rare texts are one.
    pub fn name(&self, headings: &[String], table: &ChunkedTable) -> String {
        match self {
            FeatureColumn::OneHot(column, codes) => match codes.as_slice() {
                [code] => format!("{}={}", headings[*column], table.dictionaries[*column].names[*code as usize]),
                _ => format!("{}={RARE}", headings[*column]),
            },
            FeatureColumn::Element(column, at) => format!("{}[{at}]", headings[*column]),
            other => headings[other.column()].clone(),
        }
    }
}

/// The columns to choose by, and what became of each.
#[derive(Debug, Default)]
pub struct FeaturePlan {
    /// The columns to choose by.
    pub used: Vec<FeatureColumn>,
    /// Columns that were asked for and cannot be used, with what they hold.
    pub refused: Vec<(usize, ColumnKind)>,
    /// One a column of the file.
    pub columns: Vec<ColumnInfo>,
}

/// Decides, once everything was read.
pub fn plan(
    headings: &[String],
    roles: &[Purpose],
    read_as: &[ReadAs],
    table: &ChunkedTable,
    options: &ReadOptions,
) -> FeaturePlan {
    let mut plan = FeaturePlan::default();
    for (column, purpose) in roles.iter().enumerate() {
        let seen = &table.seen[column];
        let kind = kind_of(&headings[column], seen);
        let (role, why) = role_of(&headings[column], kind, read_as[column], table, column);
        let mut info = ColumnInfo { name: headings[column].clone(), role, used: false, why };
        match *purpose {
            Purpose::Feature(asked) => {
                // A dictionary that is full has lost texts: such a column is never encoded.
                let is_whole = table.dictionaries[column].full_after.is_none();
                info.used = is_used(&mut info, (asked, kind, read_as[column]), seen, table.rows, options) && is_whole;
                if !is_whole {
                    info.role = if info.role == ColumnRole::Category { ColumnRole::Text } else { info.role };
                }
                if info.used {
                    // Whoever says category means one, whatever order it has.
                    let category = asked == Asked::As(ColumnRole::Category) && options.encode == Encode::Auto;
                    let encode = if category { Encode::Onehot } else { options.encode };
                    add_features(&mut plan.used, table, column, read_as[column], encode);
                } else if asked.is_asked() {
                    plan.refused.push((column, kind));
                }
            }
            Purpose::Weights => info.why = "the weights".to_owned(),
            Purpose::Side => info.why = "a label or group".to_owned(),
            Purpose::Unused => info.why = "not asked for".to_owned(),
        }
        plan.columns.push(info);
    }
    if plan.used.is_empty() {
        use_texts(&mut plan, roles, read_as, table, options);
    }
    let vector =
        plan.columns.iter().find(|info| info.used && info.role == ColumnRole::Vector).map(|info| info.name.clone());
    if let Some(vector) = vector {
        let free = |(info, role): &(&mut ColumnInfo, &Purpose)| !info.used && **role == Purpose::Feature(Asked::No);
        let left = plan.columns.iter_mut().zip(roles).filter(free);
        left.for_each(|(info, _)| info.why = format!("the vectors of {vector} are used"));
    }
    plan
}

/// Where nothing else is, columns of few texts are categories even if most texts stand alone. Where not even they are,
/// every row is like the others, and constant numbers are as good as any.
fn use_texts(
    plan: &mut FeaturePlan,
    roles: &[Purpose],
    read_as: &[ReadAs],
    table: &ChunkedTable,
    options: &ReadOptions,
) {
    for column in (0..roles.len()).filter(|&column| roles[column] == Purpose::Feature(Asked::No)) {
        let texts = table.dictionaries[column].names.len();
        let few = read_as[column] == ReadAs::Categories && texts <= column_roles::FEW;
        if few && plan.columns[column].role == ColumnRole::Text {
            (plan.columns[column].role, plan.columns[column].used) = (ColumnRole::Category, true);
            add_features(&mut plan.used, table, column, read_as[column], options.encode);
        }
    }
    let all_constant = plan.columns.iter().all(|info| info.role == ColumnRole::Constant);
    if plan.used.is_empty() && all_constant {
        let numbers = |column: &usize| {
            let is_number = matches!(read_as[*column], ReadAs::Numbers(_)) && table.widths[*column].is_none();
            is_number && matches!(roles[*column], Purpose::Feature(_))
        };
        for column in (0..roles.len()).filter(numbers) {
            plan.columns[column].used = true;
            plan.used.push(FeatureColumn::Number(column));
        }
    }
}

/// What a column is, from its values.
fn role_of(name: &str, kind: ColumnKind, read_as: ReadAs, table: &ChunkedTable, column: usize) -> (ColumnRole, String) {
    let numbers = &table.numbers[column];
    let coded = matches!(read_as, ReadAs::Codes | ReadAs::Categories);
    match kind {
        ColumnKind::Nested => (ColumnRole::Nested, "lists or structures".to_owned()),
        ColumnKind::Vector => {
            (ColumnRole::Vector, table.widths[column].map_or_else(String::new, |w| format!("{w} numbers")))
        }
        ColumnKind::Empty => (ColumnRole::Empty, "holds no values".to_owned()),
        ColumnKind::Truth | ColumnKind::Date if numbers.is_constant() => {
            (ColumnRole::Constant, "the same in every row".to_owned())
        }
        ColumnKind::Truth => (ColumnRole::Flag, String::new()),
        ColumnKind::Date => (ColumnRole::Date, ambiguous(&table.seen[column]).unwrap_or("as seconds").to_owned()),
        _ if coded => column_roles::of_texts(name, &table.dictionaries[column], &table.seen[column]),
        ColumnKind::Number => column_roles::of_numbers(name, numbers, table.rows),
        ColumnKind::Text | ColumnKind::Code => (ColumnRole::Text, "text".to_owned()),
    }
}

/// What is said of dates whose order nobody can tell.
fn ambiguous(seen: &KindCounts) -> Option<&'static str> {
    let told = seen.evidence.day_first + seen.evidence.month_first;
    (told == 0 && seen.evidence.either > 0).then_some("day or month first? read as month/day/year")
}

/// Whether a column is chosen by; if not, the reason is noted.
fn is_used(
    info: &mut ColumnInfo,
    (asked, kind, read_as): (Asked, ColumnKind, ReadAs),
    seen: &KindCounts,
    rows: usize,
    options: &ReadOptions,
) -> bool {
    if read_as == ReadAs::Vectors {
        return true;
    }
    if asked == Asked::As(ColumnRole::Vector) {
        return false;
    }
    if read_as == ReadAs::Nothing {
        if options.encode == Encode::None {
            let why = match info.role {
                ColumnRole::Flag => "true and false, not numbers",
                ColumnRole::Date => "dates, not numbers",
                _ if info.why.is_empty() => "",
                _ => "not a number",
            };
            why.clone_into(&mut info.why);
        }
        return false;
    }
    let is_numbers = matches!(read_as, ReadAs::Numbers(_));
    // Who says that it is numbers means that the rest is none.
    let insisted = asked == Asked::As(ColumnRole::Number) && kind == ColumnKind::Text && seen.is_numbers_and_texts();
    let no_numbers = matches!(kind, ColumnKind::Text | ColumnKind::Empty | ColumnKind::Nested | ColumnKind::Vector);
    if is_numbers && no_numbers && !insisted {
        return false;
    }
    if asked.is_asked() {
        info.role = match asked {
            Asked::As(role) => role,
            _ if !is_numbers => ColumnRole::Category,
            _ if info.role.is_feature() => info.role,
            _ => ColumnRole::Number,
        };
        return true;
    }
    let other = if is_numbers { 0 } else { seen.texts + seen.markers };
    let filled = seen.numbers + seen.truths + seen.dates + other;
    let tells = info.role.is_feature() || matches!(info.role, ColumnRole::Constant | ColumnRole::Identifier);
    if tells && options.missing == Missing::Auto && 2 * filled < rows {
        info.why = format!("{} of {rows} values are missing", rows - filled);
        return false;
    }
    // All text is encoded if that was asked for.
    if info.role == ColumnRole::Text && matches!(options.encode, Encode::Onehot | Encode::Ordinal) && !is_numbers {
        info.role = ColumnRole::Category;
    }
    info.role.is_feature()
}

fn add_features(used: &mut Vec<FeatureColumn>, table: &ChunkedTable, column: usize, read_as: ReadAs, encode: Encode) {
    match read_as {
        ReadAs::Numbers(_) => return used.push(FeatureColumn::Number(column)),
        ReadAs::Vectors => {
            let width = table.widths[column].unwrap_or_default();
            return used.extend((0..width).map(|at| FeatureColumn::Element(column, at)));
        }
        _ => {}
    }
    let names = &table.dictionaries[column].names;
    let ordered = table.dictionaries[column].ordered;
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    if !ordered {
        order.sort_by(|&a, &b| names[a as usize].cmp(&names[b as usize]));
    }
    if encode == Encode::Ordinal || (ordered && encode == Encode::Auto) {
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, &code)| ranks[code as usize] = rank as u32);
        return used.push(FeatureColumn::Ordinal(column, ranks));
    }
    order.retain(|&code| table.dictionaries[column].counts[code as usize] > 0);
    // What was asked for is taken as it stands.
    let folds = encode == Encode::Auto && read_as == ReadAs::Categories;
    let (rare, rest) = if folds { rare(table, column, order) } else { (Vec::new(), order) };
    used.extend(rest.into_iter().map(|code| FeatureColumn::OneHot(column, vec![code])));
    if !rare.is_empty() {
        used.push(FeatureColumn::OneHot(column, rare));
    }
}

/// Texts of too few rows to be a group, and the others. The former are a group together.
fn rare(table: &ChunkedTable, column: usize, codes: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
    let least = (table.rows / 100).clamp(2, 10);
    let counts = &table.dictionaries[column].counts;
    let (rare, rest): (Vec<u32>, Vec<u32>) = codes.iter().partition(|&&code| counts[code as usize] < least);
    // Where all are rare, all count.
    if rest.is_empty() { (Vec::new(), codes) } else { (rare, rest) }
}

impl FeaturePlan {
    /// What is said about the columns that are not chosen by as they stand, in one line.
    pub fn note(&self, roles: &[Purpose]) -> Option<String> {
        let features = self.columns.iter().zip(roles).filter(|(_, role)| matches!(role, Purpose::Feature(_)));
        let (used, left): (Vec<_>, Vec<_>) = features.map(|(info, _)| info).partition(|info| info.used);
        let reason = |info: &ColumnInfo| match info.role {
            role if role.is_feature() || info.why.ends_with("are missing") => info.why.clone(),
            ColumnRole::Nested | ColumnRole::Text => info.why.clone(),
            role => role.name().to_owned(),
        };
        let mut parts = Vec::new();
        if let Some(vector) = used.iter().find(|info| info.role == ColumnRole::Vector) {
            let names: Vec<&str> = left.iter().map(|info| info.name.as_str()).collect();
            let others = if names.is_empty() { String::new() } else { format!(", not by {}", listed(&names)) };
            parts.push(format!("chosen by the vectors of {} ({}){others}", cut(&vector.name), vector.why));
        } else if !left.is_empty() {
            let left: Vec<String> =
                left.iter().map(|info| format!("{} ({})", named(&info.name), reason(info))).collect();
            parts.push(format!("left out: {}", joined(&left, left.len())));
        }
        let of = |role: ColumnRole| -> Vec<&str> {
            used.iter().filter(|info| info.role == role).map(|info| info.name.as_str()).collect()
        };
        let named = [
            ("categories", of(ColumnRole::Category)),
            ("dates", of(ColumnRole::Date)),
            ("flags", of(ColumnRole::Flag)),
        ];
        for (what, names) in named.iter().filter(|(_, names)| !names.is_empty()) {
            parts.push(format!("{what}: {}", listed(names)));
        }
        let calendar: Vec<&str> = used
            .iter()
            .filter(|info| info.role == ColumnRole::Number && !info.why.is_empty())
            .map(|info| info.name.as_str())
            .collect();
        if !calendar.is_empty() {
            parts.push(format!("as numbers: {}", listed(&calendar)));
        }
        let order: Vec<&str> =
            used.iter().filter(|info| info.why.starts_with("day or month")).map(|info| info.name.as_str()).collect();
        if !order.is_empty() {
            parts.push(format!("{} may be day/month or month/day, read as month/day", listed(&order)));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
