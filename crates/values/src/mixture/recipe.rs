//! The types of a file as a text that another file can be made by.
//!
//! One line per rule, `REGEX=TYPE`, tied to the whole name; the first that fits counts. Tensors of layers that have one type are one
//! rule; where a few layers differ, these come first by their numbers, and the others follow. It is exact for the file that it
//! was made from, and says something about other numbers of layers, too.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use ggufkit_format::shorten;
use ggufkit_format::spec::{FileType, TensorType};

use super::facts::Shape;
use super::pattern::{BYTE_ORDER_MARK, Quoted, Rule, RuleError};
use super::table::Mixture;

/// How the first line begins.
const MAGIC: &str = "# gguf recipe ";

/// The version that is written and read.
const VERSION: &str = "1";

/// How the line begins that says what the whole is.
const FILE_TYPE: &str = "@file_type ";

/// Rules for the tensors of a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recipe {
    /// What the whole is called, `general.file_type`.
    pub file_type: Option<FileType>,
    /// The rules; the first that fits a name counts.
    pub rules: Vec<Rule>,
    /// Names of tensors in a type that nothing is written as: they keep what they have.
    pub left_out: Vec<(Vec<u8>, TensorType)>,
}

/// Why a text is no recipe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecipeError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for RecipeError {}

impl Recipe {
    /// The recipe of a file with these tensors.
    #[must_use]
    pub fn of(file_type: Option<FileType>, tensors: &[Shape<'_>]) -> Self {
        // In the order in which the groups first occur.
        let mut groups: Vec<(Form, Vec<(u64, TensorType)>)> = Vec::new();
        let mut places: BTreeMap<Form, usize> = BTreeMap::new();
        let mut left_out = Vec::new();
        for shape in tensors {
            if !ggufkit_quant::codec(shape.tensor_type).is_some_and(|codec| codec.can_encode()) {
                left_out.push((shape.name.to_vec(), shape.tensor_type));
                continue;
            }
            let (form, layer) = Form::of(shape);
            let place = *places.entry(form.clone()).or_insert_with(|| {
                groups.push((form, Vec::new()));
                groups.len().saturating_sub(1)
            });
            if let Some((_, members)) = groups.get_mut(place) {
                members.push((layer, shape.tensor_type));
            }
        }
        let rules = groups.iter().flat_map(|(form, members)| form.rules(members)).collect();
        Self { file_type, rules, left_out }
    }

    /// The recipe of a text.
    ///
    /// # Errors
    /// See [`RecipeError`].
    pub fn parse(text: &str) -> Result<Self, RecipeError> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let mut recipe = Self::default();
        let first = text.lines().next().unwrap_or_default();
        let wrong = |line, message: String| RecipeError { line, message };
        match first.strip_prefix(MAGIC).map(|rest| rest.split_whitespace().next().unwrap_or_default()) {
            Some(VERSION) => {}
            Some(other) => {
                return Err(wrong(1, format!("version '{}' of recipes is not known here", Quoted(other))));
            }
            None => {
                return Err(wrong(1, format!("a recipe begins with '{}' and a version", MAGIC.trim_end())));
            }
        }
        let (mut rest, mut lines) = (String::new(), Vec::new());
        for (line, text) in (1..).zip(text.lines()) {
            if let Some(name) = text.strip_prefix(FILE_TYPE) {
                let file_type = FileType::from_name(name.trim())
                    .or_else(|| Mixture::of_name(name.trim()).map(|mixture| mixture.file_type))
                    .ok_or_else(|| wrong(line, format!("'{}' is no file type", Quoted(name.trim()))))?;
                recipe.file_type = Some(file_type);
                continue;
            }
            rest.push_str(text);
            rest.push('\n');
            lines.push(line);
        }
        // All at once, so that they are counted together.
        recipe.rules = Rule::parse_all(&rest).map_err(|(number, error): (usize, RuleError)| {
            let line = number.checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or(number);
            wrong(line, error.to_string())
        })?;
        Ok(recipe)
    }

    /// The rule for a name, and its place.
    #[must_use]
    pub fn rule_of(&self, name: &[u8]) -> Option<(usize, &Rule)> {
        self.rules.iter().enumerate().find(|(_, rule)| rule.pattern.is_in(name))
    }
}

impl fmt::Display for Recipe {
    /// The text that [`Recipe::parse`] takes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{MAGIC}{VERSION} (REGEX=TYPE, the first that fits a name counts)")?;
        if let Some(name) = self.file_type.and_then(FileType::short_name) {
            writeln!(f, "{FILE_TYPE}{name}")?;
        }
        for rule in &self.rules {
            writeln!(f, "{}={}", rule.pattern.as_str(), rule.tensor_type)?;
        }
        for (name, ty) in &self.left_out {
            writeln!(f, "# kept: {} ({ty} is not written)", shorten(name, 200))?;
        }
        Ok(())
    }
}

/// What the names of one group have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Form {
    /// A name alone.
    Whole(Vec<u8>),
    /// `blk.N.` and this.
    Layers(Vec<u8>),
}

impl Form {
    fn of(shape: &Shape<'_>) -> (Self, u64) {
        // A number that is written in another way than by its digits would not be met again.
        let layer = shape.layer().filter(|layer| shape.name.starts_with(format!("blk.{layer}.").as_bytes()));
        let rest = layer.and_then(|layer| shape.name.get(format!("blk.{layer}.").len()..));
        match (layer, rest) {
            (Some(layer), Some(rest)) => (Self::Layers(rest.to_vec()), layer),
            _ => (Self::Whole(shape.name.to_vec()), 0),
        }
    }

    /// The rules of the group: types that a few layers have, and then the one that most have.
    fn rules(&self, members: &[(u64, TensorType)]) -> Vec<Rule> {
        let mut by_type: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for (layer, ty) in members {
            by_type.entry(ty.0).or_default().push(*layer);
        }
        // Of as many the later number counts, so that the order does not depend on chance.
        let most = by_type.iter().max_by_key(|(ty, layers)| (layers.len(), **ty)).map(|(ty, _)| *ty);
        let few = by_type.iter().filter(|(ty, _)| Some(**ty) != most);
        let mut rules: Vec<_> = few.map(|(ty, layers)| self.rule(Some(layers), TensorType(*ty))).collect();
        rules.extend(most.map(|ty| self.rule(None, TensorType(ty))));
        rules
    }

    fn rule(&self, layers: Option<&[u64]>, tensor_type: TensorType) -> Rule {
        let mut text = String::from("^");
        match (self, layers) {
            (Self::Whole(name), _) => escape(&mut text, name),
            (Self::Layers(rest), None) => {
                text.push_str("blk[.][0-9]+[.]");
                escape(&mut text, rest);
            }
            (Self::Layers(rest), Some(layers)) => {
                let numbers: Vec<String> = layers.iter().map(u64::to_string).collect();
                let _ = match numbers.as_slice() {
                    [one] => write!(text, "blk[.]{one}[.]"),
                    many => write!(text, "blk[.]({})[.]", many.join("|")),
                };
                escape(&mut text, rest);
            }
        }
        text.push('$');
        Rule { pattern: super::Pattern::made(text), tensor_type }
    }
}

/// A name as a pattern that fits nothing else, in letters that are harmless anywhere, in a shell's quotes and in JSON too.
fn escape(text: &mut String, name: &[u8]) {
    for &byte in name {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'/' | b':' => {
                text.push(char::from(byte))
            }
            b'.' => text.push_str("[.]"),
            _ => {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(names: &[(String, TensorType)]) -> Vec<Shape<'_>> {
        names
            .iter()
            .map(|(name, ty)| Shape { name: name.as_bytes(), dims: &[32, 2], tensor_type: *ty })
            .collect()
    }

    #[test]
    fn a_recipe_gives_every_tensor_the_type_that_it_had() {
        type T = TensorType;
        let mut names = vec![
            ("token_embd.weight".to_owned(), T::Q6_K),
            ("odd = name#1 \u{e9}".to_owned(), T::F16),
            ("blk.007.attn_q.weight".to_owned(), T::Q8_0),
        ];
        for layer in 0..12 {
            names.push((format!("blk.{layer}.attn_q.weight"), T::Q4_K));
            names.push((
                format!("blk.{layer}.ffn_down.weight"),
                if layer % 4 == 1 { T::Q6_K } else { T::Q4_K },
            ));
        }
        names.push(("ids".to_owned(), T::I32));
        let tensors = shapes(&names);
        let recipe = Recipe::of(Some(FileType(15)), &tensors);
        assert_eq!(recipe.rules.len(), 6, "{recipe}");
        let text = recipe.to_string();
        assert!(text.contains("\n@file_type Q4_K_M\n"), "{text}");
        assert!(text.contains("\n^blk[.](1|5|9)[.]ffn_down[.]weight$=Q6_K\n"), "{text}");
        assert!(text.contains("\n# kept: ids (I32 is not written)\n"), "{text}");
        let read = Recipe::parse(&text).unwrap();
        assert_eq!((read.file_type, &read.rules), (recipe.file_type, &recipe.rules));
        for shape in tensors.iter().filter(|shape| shape.tensor_type != T::I32) {
            let rule = read.rule_of(shape.name).unwrap().1;
            assert_eq!(rule.tensor_type, shape.tensor_type, "{}", shorten(shape.name, 80));
        }
        assert!(read.rule_of(b"ids").is_none());
        // Another number of layers.
        assert_eq!(read.rule_of(b"blk.40.ffn_down.weight").unwrap().1.tensor_type, T::Q4_K);
        assert!(read.rule_of(b"x.blk.0.attn_q.weight").is_none());
        assert_eq!(Recipe::parse(&format!("\u{feff}{text}")).unwrap(), read);
    }

    #[test]
    fn what_is_no_recipe_is_named_with_its_line() {
        for (text, line, said) in [
            ("", 1, "begins with"),
            ("a=Q8_0", 1, "begins with"),
            ("# gguf recipe 2", 1, "version '2'"),
            ("# gguf recipe 1\n@file_type Q9", 2, "no file type"),
            ("# gguf recipe 1\n\na=Q8_0\nb=", 4, "no rule"),
        ] {
            let error = Recipe::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text}");
            assert!(error.message.contains(said), "{text}: {error}");
        }
    }
}
