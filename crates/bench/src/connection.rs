//! One of many connections: what ureq does around a request is done here with as few system calls as possible, so that the
//! cores are the server's.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use ureq::config::Config;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport};
use ureq::{Agent, Error};

/// An agent whose connections are of this kind.
pub fn agent(config: Config) -> Agent {
    Agent::with_parts(config, Plain, DefaultResolver::default())
}

#[derive(Debug)]
struct Plain;

impl Connector for Plain {
    type Out = Connection;

    fn connect(&self, details: &ConnectionDetails, _: Option<()>) -> Result<Option<Connection>, Error> {
        let stream = TcpStream::connect(&details.addrs[..])?;
        stream.set_nodelay(true)?;
        let config = &details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Some(Connection { stream, buffers, unsent: Vec::new(), is_open: true }))
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
}

impl Connection {
    fn receive(&mut self) -> io::Result<usize> {
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
        let received = self.receive()?;
        self.buffers.input_appended(received);
        self.is_open = received > 0;
        Ok(self.is_open)
    }

    fn is_open(&mut self) -> bool {
        self.is_open
    }
}
