//! A folder on disk as the files of a trace, for crates that stand before the store and its `DiskFiles`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;

use heddle_formats::{FileSink, Files};

/// The files below a folder.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Files for Folder {
    fn len(&self, name: &str) -> io::Result<Option<u64>> {
        match std::fs::metadata(self.0.join(name)) {
            Ok(data) => Ok(Some(data.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(&self, name: &str, range: Range<u64>, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        let mut file = File::open(self.0.join(name))?;
        file.seek(SeekFrom::Start(range.start))?;
        file.take(range.end - range.start).read_to_end(out)?;
        Ok(())
    }
}

impl FileSink for Folder {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&self.0))?;
        Ok(Box::new(File::create(path)?))
    }
}
