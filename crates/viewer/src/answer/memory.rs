//! What a model takes in memory.
use super::Answer;
use super::query::Query;
use super::refusal::Refusal;
use super::session::Session;
pub(super) fn memory(_: &Session, _: &Query<'_>) -> Answer {
    Err(Refusal::unsupported("not yet"))
}
