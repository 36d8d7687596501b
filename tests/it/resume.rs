//! A crash costs at most the step that was under way: runs that are killed, cut, crowded or damaged, and what the
//! same command makes of them afterwards. The sweep over every durable call is the named full suite (`.ci/full`).

mod damaged;
mod killed;
mod lost;
mod no_room;
mod second;
mod sweep;
mod world;
