//! The connection of a measurement: what ureq does around a request is done here with as few system calls as possible, so
//! that the times are those of the server.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport};
use ureq::{Agent, Error};

/// So long an answer is looked for before the thread rests: to wake it takes longer than the server needs for a small answer.
/// Answers that take longer leave the core to the server.
const AWAKE: Duration = Duration::from_micros(100);

/// An agent whose connections are of this kind.
pub fn agent(config: Config) -> Agent {
    Agent::with_parts(config, Plain { awake: Duration::ZERO }, DefaultResolver::default())
}

/// Such an agent for one connection: its thread stays awake while an answer can come soon, so that the times are those of
/// the server and not of waking the client. Many of them would take the cores from the server.
pub fn wakeful_agent(config: Config) -> Agent {
    Agent::with_parts(config, Plain { awake: AWAKE }, DefaultResolver::default())
}

#[derive(Debug)]
struct Plain {
    awake: Duration,
}

impl Connector for Plain {
    type Out = Connection;

    fn connect(&self, details: &ConnectionDetails, _: Option<()>) -> Result<Option<Connection>, Error> {
        let stream = TcpStream::connect(&details.addrs[..])?;
        stream.set_nodelay(true)?;
        let config = &details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Some(Connection { stream, buffers, unsent: Vec::new(), is_open: true, awake: self.awake }))
    }
}

/// Sends a request, head and body, in one piece when its answer is waited for. There are no timeouts, and that the server
/// has closed the connection is seen when it is used.
#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    buffers: LazyBuffers,
    unsent: Vec<u8>,
    is_open: bool,
    /// So long it looks for an answer before it rests.
    awake: Duration,
}

impl Connection {
    /// What arrives soon, if anything does.
    fn read_awake(&mut self) -> io::Result<Option<usize>> {
        if self.awake.is_zero() {
            return Ok(None);
        }
        self.stream.set_nonblocking(true)?;
        let began = Instant::now();
        let received = loop {
            match self.stream.read(self.buffers.input_append_buf()) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock && began.elapsed() < self.awake => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break None,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                read => break Some(read?),
            }
        };
        self.stream.set_nonblocking(false)?;
        Ok(received)
    }

    fn read_at_rest(&mut self) -> io::Result<usize> {
        loop {
            match self.stream.read(self.buffers.input_append_buf()) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

impl Transport for Connection {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        self.unsent.extend_from_slice(&self.buffers.output()[..amount]);
        Ok(())
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        if !self.unsent.is_empty() {
            self.stream.write_all(&self.unsent)?;
            self.unsent.clear();
        }
        let received = match self.read_awake()? {
            Some(received) => received,
            None => self.read_at_rest()?,
        };
        self.buffers.input_appended(received);
        self.is_open = received > 0;
        Ok(self.is_open)
    }

    fn is_open(&mut self) -> bool {
        self.is_open
    }
}
