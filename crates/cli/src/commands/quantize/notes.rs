//! What is worth a word about the whole beside its numbers: a function for each kind of note, none of which says anything where
//! there is nothing to say.

use ggufkit::edit::quantize::{Measured, Quantization, Supply, Target};
use ggufkit::format::shorten;
use ggufkit::values::compare::Difference;
use ggufkit::values::mixture::recipe::Recipe;
use ggufkit::values::mixture::{Mixture, Pattern, Rule, Why, Wishes};

use super::given::Given;
use crate::out;

/// Names that are listed in a note.
const NAMED: usize = 5;

/// Columns of a pattern.
const PATTERN: usize = 60;

/// Of all that a tensor was so much is off where hardly anything is left of it. The coarsest types come to a half.
const LOST: f64 = 0.95;

/// Tensors at both ends of a model, which `llama-imatrix` does not measure.
const ENDS: &[&[u8]] = &[b"token_embd.weight", b"output.weight"];

/// A few of them, and how many there are beside.
fn few(shown: impl ExactSizeIterator<Item = String>) -> String {
    let more = shown.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.take(NAMED).collect::<Vec<_>>().join(", "))
}

fn some(names: &[&[u8]]) -> String {
    few(names.iter().map(|name| shorten(name, 60).to_string()))
}

/// A pattern as it was given, so that it can be copied.
pub(super) fn quoted(pattern: &Pattern, most: usize) -> String {
    let text = out::one_line(pattern.as_str());
    match text.char_indices().nth(most) {
        Some((cut, _)) => format!("'{}…'", text.get(..cut).unwrap_or_default()),
        None => format!("'{text}'"),
    }
}

/// What a measuring says beside its numbers.
pub(super) fn lost(made: &Quantization<'_>, measured: &[Measured]) -> Option<String> {
    let is_lost = |one: &&Measured| {
        one.difference.as_ref().and_then(Difference::relative).is_some_and(|relative| relative >= LOST)
    };
    let lost = measured.iter().filter(is_lost).filter_map(|one| made.tensors().get(one.tensor));
    let names: Vec<&[u8]> = lost.map(|target| target.name.as_slice()).collect();
    let percent = LOST * 100.0;
    (!names.is_empty())
        .then(|| format!("hardly anything is left of {}: the error is {percent:.0} % or more", some(&names)))
}

/// All that is known before anything is written.
pub(super) fn before(made: &Quantization<'_>, given: &Given) -> Vec<String> {
    let (targets, wishes, mixture) = (made.tensors(), &given.wishes, given.mixture);
    let has_importance = given.importance.is_some();
    let is_refused = |target: &Target| made.refusals().iter().any(|refusal| refusal.name() == target.name);
    let mut notes = given.notes.clone();
    notes.extend(nothing(targets, made.keeps_file_type()));
    notes.extend(strangers(made.importance_left()));
    notes.extend(missing(targets, is_refused).filter(|_| has_importance));
    notes.extend(unused(targets).filter(|_| has_importance));
    notes.extend(passed_over(mixture, wishes));
    notes.extend(idle(targets, &wishes.rules));
    notes.extend(wide(targets, &wishes.rules));
    notes.extend(shells(&wishes.rules));
    notes.extend(name_alone(targets, mixture, wishes).filter(|_| !made.keeps_file_type()));
    if let Some(recipe) = &wishes.recipe {
        notes.extend(of_recipe(targets, recipe));
    }
    notes.extend(shaped(targets));
    if made.forgets_file_type() {
        notes.push("general.file_type is left out: nothing says what the whole is called now".to_owned());
    }
    notes
}

/// Nothing in the files is quantized.
fn nothing(targets: &[Target], keeps_file_type: bool) -> Option<String> {
    if targets.is_empty() {
        return Some("there are no tensors, and so nothing to quantize".to_owned());
    }
    let never = targets.iter().all(|target| target.why == Why::NotEligible);
    let why = match never {
        true => {
            "llama.cpp quantizes no tensors of these names and types (those of adapters and matrices of importance are such)"
        }
        false => "all tensors have their types already",
    };
    let text = format!("nothing here is quantized: {why}; general.file_type stays as it is");
    keeps_file_type.then_some(text)
}

/// Importance of tensors that are not there.
fn strangers(left: &[Vec<u8>]) -> Option<String> {
    let left: Vec<&[u8]> = left.iter().map(Vec::as_slice).collect();
    (!left.is_empty())
        .then(|| format!("the importance matrix names tensors that are not here: {}", some(&left)))
}

/// Tensors that importance would help, and for which there is none. That both ends lack it is as it is with every matrix, and no
/// word by itself; what is refused is told with its reason.
fn missing(targets: &[Target], is_refused: impl Fn(&Target) -> bool) -> Option<String> {
    let names: Vec<&[u8]> = targets
        .iter()
        .filter(|target| target.importance == Supply::Missing && !is_refused(target))
        .map(|target| target.name.as_slice())
        .filter(|name| !ENDS.contains(name))
        .collect();
    (!names.is_empty()).then(|| format!("no importance for {}", some(&names)))
}

/// Importance was given, and no type looks at any.
fn unused(targets: &[Target]) -> Option<String> {
    let is_unused = targets.iter().all(|target| target.importance == Supply::Unused);
    is_unused
        .then(|| "no type here looks at importance: --imatrix makes no difference to the values".to_owned())
}

/// Options that do not count beside this mixture.
fn passed_over(mixture: Option<Mixture>, wishes: &Wishes) -> Option<String> {
    let copy = wishes.copy;
    let plain = mixture.is_some_and(|mixture| !mixture.is_quantized());
    let options = [
        ("--tensor-type", (copy || plain) && !wishes.rules.is_empty()),
        ("--output-tensor-type", copy && wishes.output.is_some()),
        ("--token-embedding-type", copy && wishes.embedding.is_some()),
        ("--pure", copy && wishes.pure),
    ];
    let options: Vec<&str> = options.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    let name = if copy { "COPY" } else { mixture.map_or("", |mixture| mixture.name) };
    (!options.is_empty()).then(|| format!("{name} passes over {}, as in llama-quantize", options.join(", ")))
}

/// Why a rule has no effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Idle {
    NoName,
    NotEligible,
    Option,
    /// Behind another rule, by its place.
    Behind(usize),
}

/// Rules that give no tensor its type, and why.
fn idle(targets: &[Target], rules: &[Rule]) -> Vec<String> {
    // What a mixture of plain floats passes over is said by itself.
    let counts = |target: &Target| !matches!(target.why, Why::NotEligible | Why::Wish | Why::Left);
    let first: Vec<Option<usize>> =
        targets.iter().map(|target| rules.iter().position(|rule| rule.pattern.is_in(&target.name))).collect();
    let why = |(at, rule): (usize, &Rule)| -> Option<(usize, Idle)> {
        let mut found = Idle::NoName;
        for (target, first) in targets.iter().zip(&first) {
            let Some(first) = first.filter(|first| *first <= at) else { continue };
            if first != at && !rule.pattern.is_in(&target.name) {
                continue;
            }
            found = match (counts(target), first == at) {
                (true, true) => return None,
                (true, false) => Idle::Behind(first),
                (false, _) if matches!(found, Idle::Behind(_)) => found,
                (false, _) if target.why == Why::NotEligible && found != Idle::Option => Idle::NotEligible,
                (false, _) => Idle::Option,
            };
        }
        Some((at, found))
    };
    let idle: Vec<(usize, Idle)> = rules.iter().enumerate().filter_map(why).collect();
    let shown = |at: usize| rules.get(at).map_or_else(String::new, |rule| quoted(&rule.pattern, PATTERN));
    let of = |kind: Idle| -> Option<String> {
        let these: Vec<usize> = idle.iter().filter(|(_, why)| *why == kind).map(|(at, _)| *at).collect();
        (!these.is_empty()).then(|| few(these.iter().map(|at| shown(*at))))
    };
    let mut notes = Vec::new();
    notes.extend(of(Idle::NoName).map(|these| format!("no tensor has in its name: {these}")));
    notes
        .extend(of(Idle::NotEligible).map(|these| {
            format!("these rules are only in names of tensors that are not quantized: {these}")
        }));
    notes.extend(of(Idle::Option).map(|these| {
        format!("these rules are only in names of tensors that other options give a type: {these}")
    }));
    let behind: Vec<(usize, usize)> = idle
        .iter()
        .filter_map(|(at, why)| match why {
            Idle::Behind(first) => Some((*at, *first)),
            _ => None,
        })
        .collect();
    if !behind.is_empty() {
        let these = few(behind.iter().map(|(at, first)| format!("{} behind {}", shown(*at), shown(*first))));
        notes.push(format!("the first rule that is in a name counts, so these do not: {these}"));
    }
    notes
}

/// Rules that are one tensor's whole name, and in those of others as well.
fn wide(targets: &[Target], rules: &[Rule]) -> Vec<String> {
    let mut notes = Vec::new();
    for rule in rules {
        let text = rule.pattern.as_str();
        if !targets.iter().any(|target| target.name == text.as_bytes()) {
            continue;
        }
        let others: Vec<&[u8]> = targets
            .iter()
            .map(|target| target.name.as_slice())
            .filter(|name| *name != text.as_bytes() && rule.pattern.is_in(name))
            .collect();
        if !others.is_empty() {
            let pattern = quoted(&rule.pattern, PATTERN);
            notes.push(format!("{pattern} is in {} as well; '^{text}$' is that one alone", some(&others)));
        }
    }
    notes
}

/// Rules that are written as for a shell.
fn shells(rules: &[Rule]) -> Vec<String> {
    let note = |rule: &Rule| {
        let meant = rule.pattern.meant()?;
        let pattern = quoted(&rule.pattern, PATTERN);
        Some(format!(
            "{pattern} is a regular expression, where * repeats what stands before it; '{meant}' is all that has it in its name"
        ))
    };
    rules.iter().filter_map(note).collect()
}

/// The file has the name of a mixture, and nothing else of it. Beside a recipe the name is just what was asked for.
fn name_alone(targets: &[Target], mixture: Option<Mixture>, wishes: &Wishes) -> Option<String> {
    let mixture =
        mixture.filter(|one| one.is_quantized() && wishes.recipe.is_none() && !targets.is_empty())?;
    let by_mixture = |target: &Target| matches!(target.why, Why::Mixture | Why::Shape(_));
    let text = format!("the file is called {}, and no tensor has its type from there", mixture.name);
    (!targets.iter().any(by_mixture)).then_some(text)
}

/// What a recipe and the tensors have not in common.
fn of_recipe(targets: &[Target], recipe: &Recipe) -> Vec<String> {
    let mut notes = Vec::new();
    let is_idle = |rule: &&Rule| !targets.iter().any(|target| rule.pattern.is_in(&target.name));
    let idle: Vec<&Rule> = recipe.rules.iter().filter(is_idle).collect();
    if !idle.is_empty() {
        let idle = few(idle.iter().map(|rule| quoted(&rule.pattern, PATTERN)));
        notes.push(format!("rules of the recipe that no tensor fits: {idle}"));
    }
    let names = targets.iter().map(|target| target.name.as_slice());
    let free: Vec<&[u8]> = names.filter(|name| recipe.rule_of(name).is_none()).collect();
    if !free.is_empty() {
        notes.push(format!("the recipe says nothing of {}, which stay as they are", some(&free)));
    }
    notes
}

/// Tensors whose rows do not fit the type that was meant for them.
fn shaped(targets: &[Target]) -> Option<String> {
    let shaped = targets.iter().filter(|target| matches!(target.why, Why::Shape(_)));
    let names: Vec<&[u8]> = shaped.map(|target| target.name.as_slice()).collect();
    let word = if names.len() == 1 { "tensor has" } else { "tensors have" };
    (!names.is_empty()).then(|| {
        format!(
            "{} {word} another type than was meant, as no whole number of its blocks makes a row: {}",
            names.len(),
            some(&names)
        )
    })
}

#[cfg(test)]
mod tests;
