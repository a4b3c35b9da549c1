//! Times in a zone that has a name, such as Europe/Berlin: Arrow itself writes times in zones of a fixed offset only.

use std::io;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use chrono::{DateTime, SecondsFormat, Utc};
use chrono_tz::Tz;

/// True for a zone of a fixed offset, such as +02:00.
fn is_offset(zone: &str) -> bool {
    zone.starts_with(['+', '-']) || zone == "Z"
}

/// The times of a column as they are written in its zone, with their offset, if the zone has a name; a name that nobody knows
/// is UTC.
pub fn texts(array: &ArrayRef) -> Option<Vec<Option<String>>> {
    let DataType::Timestamp(unit, Some(zone)) = array.data_type() else { return None };
    if is_offset(zone) {
        return None;
    }
    let zone: Tz = zone.parse().unwrap_or(Tz::UTC);
    let (times, second): (Vec<Option<i64>>, i64) = match unit {
        TimeUnit::Second => (array.as_primitive::<TimestampSecondType>().iter().collect(), 1),
        TimeUnit::Millisecond => (array.as_primitive::<TimestampMillisecondType>().iter().collect(), 1_000),
        TimeUnit::Microsecond => (array.as_primitive::<TimestampMicrosecondType>().iter().collect(), 1_000_000),
        TimeUnit::Nanosecond => (array.as_primitive::<TimestampNanosecondType>().iter().collect(), 1_000_000_000),
    };
    let text = |time: i64| {
        let parts = u32::try_from(time.rem_euclid(second) * (1_000_000_000 / second)).unwrap_or_default();
        let time: Option<DateTime<Utc>> = DateTime::from_timestamp(time.div_euclid(second), parts);
        // Beyond the years that a calendar has.
        time.map_or_else(String::new, |time| time.with_timezone(&zone).to_rfc3339_opts(SecondsFormat::AutoSi, true))
    };
    Some(times.into_iter().map(|time| time.map(text)).collect())
}

/// The rows with such columns as texts, for writers that do not know the zones.
pub fn as_texts(batch: &RecordBatch) -> io::Result<RecordBatch> {
    let mut fields: Vec<Arc<Field>> = batch.schema().fields().iter().cloned().collect();
    let mut columns = batch.columns().to_vec();
    for (field, column) in fields.iter_mut().zip(&mut columns) {
        if let Some(texts) = texts(column) {
            *column = Arc::new(StringArray::from(texts));
            *field = Arc::new(Field::new(field.name(), DataType::Utf8, true));
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use arrow_array::{TimestampMicrosecondArray, TimestampSecondArray};

    use super::*;

    #[test]
    fn times_are_written_in_their_zone() {
        // An hour before summer time begins in Berlin, and an hour after it; before 1970.
        let times = [Some(1_616_889_600), None, Some(1_616_896_800), Some(-1)];
        let seconds =
            |zone: &str| -> ArrayRef { Arc::new(TimestampSecondArray::from(times.to_vec()).with_timezone(zone)) };
        let found = texts(&seconds("Europe/Berlin")).unwrap();
        let told: Vec<&str> = found.iter().map(|text| text.as_deref().unwrap_or("-")).collect();
        let wanted = ["2021-03-28T01:00:00+01:00", "-", "2021-03-28T04:00:00+02:00", "1970-01-01T00:59:59+01:00"];
        assert_eq!(told, wanted);
        assert_eq!(texts(&seconds("UTC")).unwrap()[0].as_deref(), Some("2021-03-28T00:00:00Z"));
        assert_eq!(texts(&seconds("Nowhere/At all")).unwrap()[0].as_deref(), Some("2021-03-28T00:00:00Z"));
        assert!(texts(&seconds("+02:00")).is_none());
        let fine: ArrayRef =
            Arc::new(TimestampMicrosecondArray::from(vec![-1, 250_000]).with_timezone("America/New_York"));
        let found: Vec<String> = texts(&fine).unwrap().into_iter().flatten().collect();
        assert_eq!(found, ["1969-12-31T18:59:59.999999-05:00", "1969-12-31T19:00:00.250-05:00"]);
    }
}
