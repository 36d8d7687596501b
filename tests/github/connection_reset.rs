//! Connections that can be reset in the middle of a call, which no HTTP server does on its own.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Cuts one connection: the next byte that is written resets it.
#[derive(Clone, Default)]
pub struct Scissors(Arc<AtomicBool>);

impl Scissors {
    pub fn cut(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Connected<IncomingStream<'_, Wires>> for Scissors {
    fn connect_info(stream: IncomingStream<'_, Wires>) -> Self {
        stream.io().scissors.clone()
    }
}

/// A listener whose connections can be cut.
pub struct Wires(TcpListener);

impl Wires {
    pub fn new(listener: TcpListener) -> Self {
        Self(listener)
    }
}

/// A connection.
pub struct Wire {
    stream: TcpStream,
    scissors: Scissors,
}

impl Listener for Wires {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Wire, SocketAddr) {
        loop {
            // A connection that ends before it is accepted is the caller's decision.
            if let Ok((stream, address)) = self.0.accept().await {
                drop(stream.set_nodelay(true));
                return (Wire { stream, scissors: Scissors::default() }, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.scissors.0.load(Ordering::SeqCst) {
            // The connection is dropped with this error, and without lingering that is a reset.
            drop(self.stream.set_zero_linger());
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
