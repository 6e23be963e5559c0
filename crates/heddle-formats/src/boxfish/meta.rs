//! The meta file of a run: the machine, the tables, and how their things belong together.

use heddle_model::{LinkEnd, WarningKind, Warnings};
use heddle_topology::{Dimension, Torus};

use crate::yaml::{Fault, Item, documents};

/// A meta file.
#[derive(Debug)]
pub(super) struct Meta {
    pub(super) hardware: Hardware,
    pub(super) tables: Vec<TableFile>,
    pub(super) projections: Vec<Projection>,
}

/// The machine.
#[derive(Debug)]
pub(super) struct Hardware {
    /// `bgp`
    pub(super) name: String,
    /// Names of the coordinates, in order; they are the names of the columns too.
    pub(super) coordinates: Vec<String>,
    /// Its shape. Whether it wraps, the links tell.
    pub(super) torus: Torus,
    /// Whether the file calls it a mesh.
    pub(super) is_mesh: bool,
    /// How many nodes it claims to have, and in which line.
    pub(super) declared: Option<(u64, u64)>,
    pub(super) node_file: String,
    pub(super) links: Option<LinkFile>,
}

/// The table of links.
#[derive(Debug)]
pub(super) struct LinkFile {
    pub(super) file: String,
    /// Columns with the coordinates of the node that sends.
    pub(super) source: Vec<String>,
    /// Columns with those of the node that receives.
    pub(super) destination: Vec<String>,
}

/// A kind of things: domain and type, `HW/NODE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EntityType(String);

impl EntityType {
    pub(super) fn node() -> EntityType {
        EntityType("HW/NODE".to_owned())
    }

    pub(super) fn link() -> EntityType {
        EntityType("HW/LINK".to_owned())
    }

    pub(super) fn rank() -> EntityType {
        EntityType("COMM/RANK".to_owned())
    }

    pub(super) fn communicator() -> EntityType {
        EntityType("COMM/COMMUNICATOR".to_owned())
    }

    fn of(item: &Item) -> Option<EntityType> {
        let part = |key| item.text_of(key).map(|text| text.trim().to_ascii_uppercase());
        Some(EntityType(format!("{}/{}", part("domain")?, part("type")?)))
    }
}

impl std::fmt::Display for EntityType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A table of attributes of things of one kind.
#[derive(Debug)]
pub(super) struct TableFile {
    pub(super) file: String,
    pub(super) of: EntityType,
    /// The column with their ids.
    pub(super) field: Option<String>,
}

/// How things of two kinds belong together.
#[derive(Debug)]
pub(super) struct Projection {
    pub(super) kind: ProjectionKind,
    pub(super) ends: [EntityType; 2],
}

#[derive(Debug)]
pub(super) enum ProjectionKind {
    /// Equal ids.
    Identity,
    /// The rows of a table with these two columns.
    File { file: String, fields: [String; 2] },
    /// Nodes and links, by coordinates.
    NodeLink { links_of_node: LinkEnd, nodes_of_link: LinkEnd },
}

impl Meta {
    /// Reads a meta file. What is wrong with the machine makes the run unreadable; what is wrong with anything else costs
    /// only that.
    pub(super) fn read(name: &str, bytes: &[u8], warnings: &mut Warnings) -> Result<Meta, Fault> {
        let text = String::from_utf8_lossy(bytes);
        let mut meta: Option<Meta> = None;
        let mut first_fault = None;
        let (mut tables, mut projections) = (Vec::new(), Vec::new());
        for document in documents(&text) {
            let document = match document {
                Ok(document) => document,
                Err(fault) => {
                    first_fault = first_fault.or(Some(fault.clone()));
                    let place = || format!("{name}, line {}", fault.line);
                    warnings.add(WarningKind::Corrupt, place, &format!("{}; this document was skipped", fault.what));
                    continue;
                }
            };
            if let Some(hardware) = document.get("hardware") {
                if meta.is_none() {
                    let hardware = Hardware::of(hardware)?;
                    meta = Some(Meta { hardware, tables: Vec::new(), projections: Vec::new() });
                }
                let patches =
                    document.get("application").filter(|application| application.get("patch_table").is_some());
                if let Some(patches) = patches {
                    warnings.add(WarningKind::UnusedRecords, || format!("{name}, line {}", patches.line), PATCHES);
                }
                continue;
            }
            let found = match document.text_of("filetype").map(str::to_ascii_lowercase).as_deref() {
                Some("table") => table(&document).map(|table| tables.push(table)),
                Some("projection") => projection(&document).map(|projection| projections.push(projection)),
                _ => Err(Fault {
                    line: document.line,
                    what: "expected `filetype: table` or `filetype: projection`".to_owned(),
                }),
            };
            if let Err(fault) = found {
                let place = || format!("{name}, line {}", fault.line);
                warnings.add(WarningKind::Corrupt, place, &format!("{}; this document was skipped", fault.what));
            }
        }
        let nothing =
            || Fault { line: 1, what: "expected a document with `hardware: {coords, coords_table, dim}`".to_owned() };
        let meta = meta.ok_or_else(|| first_fault.unwrap_or_else(nothing))?;
        Ok(Meta { tables, projections, ..meta })
    }

    /// The files that it names.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let links = self.hardware.links.iter().map(|links| links.file.as_str());
        let tables = self.tables.iter().map(|table| table.file.as_str());
        let maps = self.projections.iter().filter_map(|projection| match &projection.kind {
            ProjectionKind::File { file, .. } => Some(file.as_str()),
            ProjectionKind::Identity | ProjectionKind::NodeLink { .. } => None,
        });
        std::iter::once(self.hardware.node_file.as_str()).chain(links).chain(tables).chain(maps)
    }
}

const PATCHES: &str = "patches of the application's domain are not shown";

impl Hardware {
    fn of(item: &Item) -> Result<Hardware, Fault> {
        let missing = |what: &str| Fault { line: item.line, what: format!("`hardware` should have {what}") };
        let coords = item.get("coords").ok_or_else(|| missing("`coords`, the names of the coordinates"))?;
        let coordinates: Vec<String> = coords.list().iter().filter_map(Item::text).map(str::to_owned).collect();
        if coordinates.is_empty() || coordinates.len() != coords.list().len() {
            let what = "`coords` should be a list of names, such as [x, y, z]".to_owned();
            return Err(Fault { line: coords.line, what });
        }
        // Boxfish's own documents once call it `dims`.
        let dim = item.get("dim").or_else(|| item.get("dims"));
        let dim = dim.ok_or_else(|| missing("`dim`, the size of every coordinate"))?;
        let mut dimensions = Vec::new();
        for name in &coordinates {
            let size = dim.text_of(name).and_then(whole_number);
            let Some(size) = size.and_then(|size| u32::try_from(size).ok()).filter(|size| *size > 0) else {
                let what = format!("`dim` should give a size of 1 or more for the coordinate `{name}`");
                return Err(Fault { line: dim.line, what });
            };
            dimensions.push(Dimension { name: name.clone(), size, wraps: true, cables: 1, capacity: None });
        }
        let torus = Torus::new(dimensions).map_err(|error| Fault { line: dim.line, what: error.to_string() })?;
        let node_file =
            item.text_of("coords_table").ok_or_else(|| missing("`coords_table`, the file with the nodes"))?;
        let links = match item.text_of("link_coords_table") {
            None => None,
            Some(file) => Some(LinkFile {
                file: file.to_owned(),
                source: columns(item, "source_coords", &coordinates)?,
                destination: columns(item, "destination_coords", &coordinates)?,
            }),
        };
        let declared = item.get("nodes");
        let declared = declared.and_then(|nodes| Some((u64::try_from(whole_number(nodes.text()?)?).ok()?, nodes.line)));
        Ok(Hardware {
            name: item.text_of("type").unwrap_or_default().to_owned(),
            is_mesh: item.text_of("network").is_some_and(|network| network.eq_ignore_ascii_case("mesh")),
            coordinates,
            torus,
            declared,
            node_file: node_file.to_owned(),
            links,
        })
    }
}

/// The columns of the table of links that hold an end's coordinates.
fn columns(hardware: &Item, key: &str, coordinates: &[String]) -> Result<Vec<String>, Fault> {
    let line = hardware.get(key).map_or(hardware.line, |item| item.line);
    let column = |name: &String| {
        let column = hardware.get(key).and_then(|item| item.text_of(name));
        let what = || format!("`{key}` should name the column of the coordinate `{name}` in the table of links");
        column.map(str::to_owned).ok_or_else(|| Fault { line, what: what() })
    };
    coordinates.iter().map(column).collect()
}

fn whole_number(text: &str) -> Option<i64> {
    let text = text.trim();
    text.parse().ok().or_else(|| text.strip_suffix(".0")?.parse().ok())
}

fn table(document: &Item) -> Result<TableFile, Fault> {
    let missing = |what: &str| Fault { line: document.line, what: format!("a table should have {what}") };
    Ok(TableFile {
        file: document.text_of("filename").ok_or_else(|| missing("a `filename`"))?.to_owned(),
        of: EntityType::of(document).ok_or_else(|| missing("a `domain` and a `type`"))?,
        field: document.text_of("field").map(str::to_owned),
    })
}

fn projection(document: &Item) -> Result<Projection, Fault> {
    let missing = |what: &str| Fault { line: document.line, what: format!("a projection should have {what}") };
    let ends = document.get("subdomain").map_or(&[][..], Item::list);
    let [one, other] = ends else {
        return Err(missing("a `subdomain` of two entries with domain, type and field"));
    };
    let of = |item: &Item| EntityType::of(item).ok_or_else(|| missing("a domain and a type on both sides"));
    let field = |item: &Item| item.text_of("field").map(str::to_owned).ok_or_else(|| missing("a field on both sides"));
    let policy = |key: &str| document.text_of(key).and_then(|name| LinkEnd::from_name(name.trim())).unwrap_or_default();
    let kind = document.text_of("type").unwrap_or_default();
    let kind = match kind.to_ascii_lowercase().replace(['_', '-'], " ").as_str() {
        "identity" => ProjectionKind::Identity,
        "file" => ProjectionKind::File {
            file: document.text_of("filename").ok_or_else(|| missing("a `filename`"))?.to_owned(),
            fields: [field(one)?, field(other)?],
        },
        "node link" => {
            ProjectionKind::NodeLink { links_of_node: policy("node_policy"), nodes_of_link: policy("link_policy") }
        }
        _ => return Err(missing("the `type` identity, file or node link")),
    };
    Ok(Projection { kind, ends: [of(one)?, of(other)?] })
}
