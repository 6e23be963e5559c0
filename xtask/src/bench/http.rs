//! Just enough HTTP to time a server on this machine: one connection, kept open, answers of known length.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// Longer than anything takes that is worth a number.
const PATIENCE: Duration = Duration::from_secs(600);

/// Names, in small letters, and values of the lines before a body.
type Fields = Vec<(String, String)>;

/// A connection with its cookie.
pub(crate) struct Client {
    connection: BufReader<TcpStream>,
    host: String,
    cookie: String,
}

impl Client {
    /// Connects to a `heddle open` whose standard output is piped.
    pub(crate) fn of(server: &mut Child) -> Result<Client> {
        let mut url = String::new();
        BufReader::new(server.stdout.take().context("stdout is piped")?).read_line(&mut url)?;
        Client::connect(&url)
    }

    /// Connects to the address that `heddle open` prints, and hands in its token.
    fn connect(url: &str) -> Result<Client> {
        let (host, token) = url
            .trim()
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once("/#token="))
            .with_context(|| format!("`{url}` is not an address with a token"))?;
        let stream = TcpStream::connect(host).with_context(|| format!("cannot connect to {host}"))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let mut client = Client { connection: BufReader::new(stream), host: host.to_owned(), cookie: String::new() };
        let body = format!("{{\"token\":\"{token}\"}}");
        let head = format!(
            "POST /api/v1/session HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        client.connection.get_mut().write_all((head + &body).as_bytes())?;
        let (fields, _) = client.answer()?;
        let cookie = fields.iter().find(|(name, _)| name == "set-cookie").context("the server gave no cookie")?;
        let cookie = cookie.1.split(';').next().unwrap_or_default().to_owned();
        Ok(Client { cookie, ..client })
    }

    /// The body of an answer as it is sent to a browser: compressed, if the server does so.
    pub(crate) fn get(&mut self, path: &str) -> Result<Vec<u8>> {
        self.ask(path, "Accept-Encoding: gzip\r\n")
    }

    /// An answer in JSON.
    pub(crate) fn get_json(&mut self, path: &str) -> Result<serde_json::Value> {
        Ok(serde_json::from_slice(&self.ask(path, "")?)?)
    }

    fn ask(&mut self, path: &str, accepted: &str) -> Result<Vec<u8>> {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{accepted}\r\n", self.host, self.cookie);
        self.connection.get_mut().write_all(request.as_bytes())?;
        self.answer().map(|(_, body)| body).with_context(|| path.to_owned())
    }

    fn answer(&mut self) -> Result<(Fields, Vec<u8>)> {
        let mut line = String::new();
        self.connection.read_line(&mut line)?;
        let status = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut fields = Vec::new();
        loop {
            line.clear();
            self.connection.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = fields.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse());
        let length: usize = match length {
            Some(length) => length.context("a length that is no number")?,
            None if status == "204" => 0,
            None => bail!("an answer without its length (status {status})"),
        };
        let mut body = vec![0; length];
        self.connection.read_exact(&mut body)?;
        if !status.starts_with('2') {
            bail!("status {status}: {}", String::from_utf8_lossy(&body));
        }
        Ok((fields, body))
    }
}
