//! `heddle export`: one table of a trace, with names and ranks filled in, all tables of its store as they are, or the whole
//! trace in another format.
//!
//! Rows go from the store to the file a batch at a time, so a table may be larger than memory.

mod all;
mod csv;
mod diagnosis;
mod links;
mod logical;
mod matrix;
mod profile;
mod progress;
mod tables;
mod tasks;

use std::io::{BufWriter, IsTerminal, Write};
use std::ops::Range;
use std::path::Path;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{Schema, SchemaRef};

use heddle_diagnosis::diagnosis::Diagnosis;
use heddle_logical::MetricValues;
use heddle_logical::cluster::MemberList;
use heddle_model::Ns;
use heddle_network::{Network, Origin, Part, Tests};
use heddle_profile::CallProfile;
use heddle_profile::messages::Messages;
use heddle_store::{Store, StoreError, StoreSource, conversion_memory};

use super::output::write_file;
use super::render::window;
use super::write_trace::{TraceFormat, TraceOutput};
use super::{Usage, open_store};
use crate::args::{ExportArgs, ExportFormat, Table};
use crate::progress::{TerminalProgress, is_cancelled};
use crate::text::{grouped, printable};
use diagnosis::{Diagnosed, path_schema, write_path};
use tables::{ExportTable, Exported};
use tasks::TaskEnds;

pub(super) fn run(args: &ExportArgs) -> anyhow::Result<()> {
    let whole = match args.to {
        ExportFormat::Otf2 => Some(TraceFormat::Otf2),
        ExportFormat::Paraver => Some(TraceFormat::Paraver),
        ExportFormat::Chrome => Some(TraceFormat::Chrome),
        ExportFormat::Csv | ExportFormat::Arrow | ExportFormat::Parquet => None,
    };
    if args.to == ExportFormat::Parquet && !cfg!(feature = "parquet") {
        return Err(Usage(
            "this build cannot write Parquet; build with `--features parquet`, or use --to arrow".to_owned(),
        )
        .into());
    }
    match (whole, args.table) {
        (Some(_), None) if args.all => {
            Err(Usage("--to otf2, --to paraver and --to chrome write the whole trace: leave --all out".to_owned()).into())
        }
        (None, None) if args.all => all::run(args),
        (Some(format), None) => run_trace(args, format),
        (None, Some(table)) => run_table(args, table),
        (Some(_), Some(_)) => {
            let text = "--to otf2, --to paraver and --to chrome write the whole trace: leave --table out";
            Err(Usage(text.to_owned()).into())
        }
        (None, None) => Err(Usage(
            "say which table with --table, write all with --all, or the whole trace with --to otf2, --to paraver or --to \
             chrome"
                .to_owned(),
        )
        .into()),
    }
}

/// Writes the whole trace.
fn run_trace(args: &ExportArgs, format: TraceFormat) -> anyhow::Result<()> {
    let Some(output) = &args.output else {
        return Err(Usage("a trace needs a file to write to: -o FILE".to_owned()).into());
    };
    let target = TraceOutput::of(output, format)?;
    if !args.force {
        target.check_free()?;
    }
    let store = open_store(&args.traces, &args.store)?;
    let memory = args.store.machine.memory();
    check_memory(&store, memory)?;
    if store.network().is_some() {
        eprintln!("the counters of the network are left out: traces have no place for them. --table links writes them");
    }
    // A quarter for parts of the trace, half for what the writer keeps; the rest for what the check counted.
    let events = target.write(&StoreSource::new(&store, memory / 4), memory / 2)?;
    eprintln!("{} events", grouped(events));
    Ok(())
}

/// Refuses what would take more memory than there is, before anything is written.
fn check_memory(store: &Store, memory: u64) -> anyhow::Result<()> {
    let needed = conversion_memory(store);
    if needed <= memory / 4 {
        return Ok(());
    }
    let gigabytes = (needed * 4).div_ceil(1 << 30);
    anyhow::bail!(
        "{}: writing this trace in another format takes {} MiB for lists of its {} parts in collectives alone, and a quarter \
         of the memory is for that; allow more with --memory {gigabytes}G, or write tables of it with --table",
        printable(&store.path().display().to_string()),
        needed.div_ceil(1 << 20),
        grouped(store.collective_members.len()),
    )
}

fn run_table(args: &ExportArgs, table: Table) -> anyhow::Result<()> {
    let is_logical = matches!(table, Table::Steps | Table::Phases | Table::Clusters);
    if !is_logical && let Some(option) = args.logical.given() {
        return Err(Usage(format!("{option}: only the tables steps, phases and clusters depend on it")).into());
    }
    if table != Table::Clusters
        && let Some(option) = args.clusters.given()
    {
        return Err(Usage(format!("{option}: only --table clusters depends on it")).into());
    }
    if table != Table::Links
        && let Some(option) = args.network.given()
    {
        return Err(Usage(format!("{option}: only --table links depends on it")).into());
    }
    let is_progress = matches!(table, Table::Progress | Table::Bounds);
    if !is_progress && let Some(option) = args.progress.given() {
        return Err(Usage(format!("{option}: only the tables progress and bounds depend on it")).into());
    }
    let is_window = [("--time", args.time.is_some()), ("--ranks", args.ranks.is_some())];
    let has_window = matches!(table, Table::Profile | Table::Matrix);
    if let Some((option, _)) = is_window.iter().find(|(_, is_given)| !has_window && *is_given) {
        return Err(Usage(format!("{option}: only the tables profile and matrix depend on it")).into());
    }
    let store = open_store(&args.traces, &args.store)?;
    let progress = TerminalProgress::new();
    if table == Table::Profile {
        let window = window(&store, args.time, args.ranks.as_ref())?;
        let profile = CallProfile::open(&store, &progress)?;
        return with_sink(args, &profile::schema(), |sink| profile::write(&store, &profile, &window, sink));
    }
    if table == Table::Matrix {
        let window = window(&store, args.time, args.ranks.as_ref())?;
        let messages = Messages::open(&store, &progress)?;
        return with_sink(args, &matrix::schema(), |sink| matrix::write(&store, &messages, &window, sink));
    }
    let progression = if is_progress { Some(args.progress.open(&store, &progress)?) } else { None };
    let progression = progression.as_ref().map(|(progression, groups)| progress::Progressed::of(progression, groups));
    let logical = if is_logical { Some(args.logical.open(&store, &progress)?) } else { None };
    let clustered = match &logical {
        Some(logical) if table == Table::Clusters => {
            let (metric, options) = args.clusters.checked(&store)?;
            Some((MetricValues::open(&store, logical, metric, &progress)?, options))
        }
        _ => None,
    };
    let clusters = logical.as_ref().zip(clustered.as_ref());
    let clusters = clusters.map(|(logical, (values, options))| MemberList::new(logical, values, options));
    let ends = (table == Table::Tasks).then(|| TaskEnds::of(&store));
    let diagnosis = if matches!(table, Table::Waits | Table::Delays | Table::CriticalPath) {
        Some(Diagnosis::open(&store, &progress)?)
    } else {
        None
    };
    if let Some(diagnosis) = diagnosis.as_ref().filter(|_| table == Table::CriticalPath) {
        return with_sink(args, &path_schema(), |sink| write_path(&store, diagnosis, sink));
    }
    let diagnosed = diagnosis.as_ref().map(|diagnosis| Diagnosed::of(&store, diagnosis));
    let from = Exported {
        store: &store,
        logical: logical.as_ref(),
        clusters: clusters.as_ref(),
        progress: progression.as_ref(),
        ends: ends.as_ref(),
        diagnosis: diagnosed.as_ref(),
    };
    let Some(table) = ExportTable::of(table) else { return write_links(args, &store) };
    let schema = table.schema(&from);
    with_sink(args, &schema, |sink| write_rows(&from, &table, &schema, sink))
}

/// Writes the table of links: measured ones as they were counted, others section by section as they are worked out.
fn write_links(args: &ExportArgs, store: &Store) -> anyhow::Result<()> {
    let network = Network::open(store, &args.network.with_files()?).map_err(|error| Usage(format!("--{error}")))?;
    if network.origin(store) == Origin::Measured
        && args.network.given().is_none()
        && let Some(measured) = store.network()
    {
        let (table, rows) = links::measured(measured);
        return with_sink(args, &table.schema(), |sink| table.write(rows, sink));
    }
    let always = (Ns(i64::MIN), Ns(i64::MAX));
    let traffic = network.traffic(store, &Part::of_time(always), Tests::default());
    let (table, rows) = links::of_traffic(&network, &traffic);
    with_sink(args, &table.schema(), |sink| table.write(rows, sink))
}

/// Has rows written to where the user wants them.
fn with_sink(
    args: &ExportArgs,
    schema: &SchemaRef,
    write: impl FnOnce(Box<dyn Sink + '_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(path) = args.output.as_deref().filter(|path| *path != Path::new("-")) else {
        if args.to == ExportFormat::Parquet {
            return Err(Usage("Parquet needs a file to write to: -o FILE".to_owned()).into());
        }
        let (is_terminal, out) = (std::io::stdout().is_terminal(), std::io::stdout());
        let out = BufWriter::with_capacity(1 << 18, out);
        let sink: Box<dyn Sink> = match args.to {
            ExportFormat::Csv if is_terminal => Box::new(csv::CsvSink::new(out, schema)?.for_a_terminal()),
            _ => sink(args.to, out, schema, false)?,
        };
        return write(sink);
    };
    to_file(path, args.to, schema, write)
}

/// Has rows written to a file.
fn to_file(
    path: &Path,
    format: ExportFormat,
    schema: &SchemaRef,
    write: impl FnOnce(Box<dyn Sink + '_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    write_file(path, |file| {
        let is_file = file.metadata()?.is_file();
        write(sink(format, BufWriter::with_capacity(1 << 18, file), schema, is_file)?)
    })
}

fn write_rows(
    from: &Exported,
    table: &ExportTable,
    schema: &SchemaRef,
    sink: Box<dyn Sink + '_>,
) -> anyhow::Result<()> {
    let columns = |rows| (table.columns)(from, rows).into_iter().map(|(_, values)| values).collect();
    write_batches((table.rows)(from), columns, schema, sink)
}

/// Writes so many rows, a batch at a time.
fn write_batches(
    total: u64,
    columns: impl Fn(Range<u64>) -> Vec<ArrayRef>,
    schema: &SchemaRef,
    mut sink: Box<dyn Sink + '_>,
) -> anyhow::Result<()> {
    const ROWS: u64 = 1 << 16;
    let mut first = 0;
    while first < total {
        if is_cancelled() {
            return Err(StoreError::Cancelled.into());
        }
        let last = (first + ROWS).min(total);
        sink.write(&RecordBatch::try_new(schema.clone(), columns(first..last))?)?;
        first = last;
    }
    sink.finish()
}

/// Where batches go.
trait Sink {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()>;
    fn finish(self: Box<Self>) -> anyhow::Result<()>;
}

fn sink<'a>(
    format: ExportFormat,
    out: impl Write + Send + 'a,
    schema: &SchemaRef,
    is_file: bool,
) -> anyhow::Result<Box<dyn Sink + 'a>> {
    Ok(match format {
        ExportFormat::Csv => Box::new(csv::CsvSink::new(out, schema)?),
        // A pipe cannot be sought in: readers of a stream do not expect a footer.
        ExportFormat::Arrow if is_file => Box::new(ArrowFile(FileWriter::try_new(out, schema)?)),
        ExportFormat::Arrow => Box::new(ArrowStream(StreamWriter::try_new(out, schema)?)),
        ExportFormat::Parquet => parquet_sink(out, schema)?,
        ExportFormat::Otf2 | ExportFormat::Paraver | ExportFormat::Chrome => anyhow::bail!("a trace is not a table"),
    })
}

struct ArrowFile<W: Write>(FileWriter<W>);

impl<W: Write> Sink for ArrowFile<W> {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        Ok(self.0.write(batch)?)
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        self.0.finish()?;
        Ok(self.0.get_mut().flush()?)
    }
}

struct ArrowStream<W: Write>(StreamWriter<W>);

impl<W: Write> Sink for ArrowStream<W> {
    fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
        Ok(self.0.write(batch)?)
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        self.0.finish()?;
        Ok(self.0.get_mut().flush()?)
    }
}

#[cfg(feature = "parquet")]
fn parquet_sink<'a>(out: impl Write + Send + 'a, schema: &SchemaRef) -> anyhow::Result<Box<dyn Sink + 'a>> {
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::WriterProperties;

    struct Parquet<W: Write + Send>(ArrowWriter<W>);

    impl<W: Write + Send> Sink for Parquet<W> {
        fn write(&mut self, batch: &RecordBatch) -> anyhow::Result<()> {
            Ok(self.0.write(batch)?)
        }

        fn finish(self: Box<Self>) -> anyhow::Result<()> {
            self.0.close()?;
            Ok(())
        }
    }

    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?)).build();
    Ok(Box::new(Parquet(ArrowWriter::try_new(out, schema.clone(), Some(properties))?)))
}

#[cfg(not(feature = "parquet"))]
fn parquet_sink<'a>(_out: impl Write + Send + 'a, _schema: &Schema) -> anyhow::Result<Box<dyn Sink + 'a>> {
    anyhow::bail!("this build cannot write Parquet")
}

#[cfg(test)]
mod tests {
    use heddle_simulate::{HaloOptions, Machine, halo};
    use heddle_store::{NoProgress, store_simulation};

    use super::*;

    #[test]
    fn what_takes_more_memory_than_there_is_is_refused_beforehand() {
        let folder = tempfile::tempdir().unwrap();
        let options = HaloOptions { ranks: 64, iterations: 9, allreduce_every: 1, ..HaloOptions::default() };
        let trace = halo(&options, &Machine::default()).unwrap();
        let store = store_simulation(&trace, "run", &folder.path().join("run.heddle"), 1 << 28, &NoProgress).unwrap();
        let needed = conversion_memory(&store);
        assert!(needed >= 64 * 9, "{needed} bytes for the ranks' parts in collectives");
        assert!(check_memory(&store, needed * 4).is_ok());
        let refused = check_memory(&store, needed * 4 - 1).unwrap_err().to_string();
        for words in ["run.heddle", "--memory 1G", "--table"] {
            assert!(refused.contains(words), "{words}: {refused}");
        }
    }
}
