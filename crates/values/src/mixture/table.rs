//! The mixtures by name and number.

use std::fmt;

use ggufkit_format::spec::{FileType, TensorType};

/// A way of quantizing a whole model: what the user names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mixture {
    /// Its name: `Q4_K_M`.
    pub name: &'static str,
    /// What stands in the file, in `general.file_type`.
    pub file_type: FileType,
    /// The type of the tensors that no rule names.
    pub base: TensorType,
}

macro_rules! mixtures {
    ($($name:literal, $number:literal, $base:ident;)*) => {
        /// All mixtures, by their numbers.
        pub const MIXTURES: &[Mixture] =
            &[$(Mixture { name: $name, file_type: FileType($number), base: TensorType::$base }),*];
    };
}

mixtures! {
    "F32", 0, F32; "F16", 1, F16; "Q4_0", 2, Q4_0; "Q4_1", 3, Q4_1; "Q8_0", 7, Q8_0; "Q5_0", 8, Q5_0; "Q5_1", 9, Q5_1;
    "Q2_K", 10, Q2_K; "Q3_K_S", 11, Q3_K; "Q3_K_M", 12, Q3_K; "Q3_K_L", 13, Q3_K; "Q4_K_S", 14, Q4_K;
    "Q4_K_M", 15, Q4_K; "Q5_K_S", 16, Q5_K; "Q5_K_M", 17, Q5_K; "Q6_K", 18, Q6_K; "IQ2_XXS", 19, IQ2_XXS;
    "IQ2_XS", 20, IQ2_XS; "Q2_K_S", 21, Q2_K; "IQ3_XS", 22, IQ3_S; "IQ3_XXS", 23, IQ3_XXS; "IQ1_S", 24, IQ1_S;
    "IQ4_NL", 25, IQ4_NL; "IQ3_S", 26, IQ3_S; "IQ3_M", 27, IQ3_S; "IQ2_S", 28, IQ2_XS; "IQ2_M", 29, IQ2_S;
    "IQ4_XS", 30, IQ4_XS; "IQ1_M", 31, IQ1_M; "BF16", 32, BF16; "TQ1_0", 36, TQ1_0; "TQ2_0", 37, TQ2_0;
    "MXFP4_MOE", 38, MXFP4; "Q1_0", 40, Q1_0; "Q2_0", 41, Q2_0;
}

/// Names that stand for others.
const ALIASES: &[(&str, &str)] = &[("Q3_K", "Q3_K_M"), ("Q4_K", "Q4_K_M"), ("Q5_K", "Q5_K_M")];

impl Mixture {
    /// The mixture of a name (upper and lower case are the same), an alias, or a number.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
        let name = alias.map_or(name, |(_, name)| name);
        let number = name.parse().ok().map(FileType);
        let is = |one: &&Self| one.name.eq_ignore_ascii_case(name) || Some(one.file_type) == number;
        MIXTURES.iter().find(is).copied()
    }

    /// The mixture that a file says it is.
    #[must_use]
    pub fn of_file_type(file_type: FileType) -> Option<Self> {
        MIXTURES.iter().find(|one| one.file_type == file_type.base()).copied()
    }

    /// Whether values become blocks with scales: mixtures of plain floats know no rules.
    #[must_use]
    pub fn is_quantized(&self) -> bool {
        self.base.info().is_some_and(|info| info.is_quantized())
    }

    /// Names that stand for this one.
    pub fn aliases(&self) -> impl Iterator<Item = &'static str> + use<> {
        let name = self.name;
        ALIASES.iter().filter(move |(_, of)| *of == name).map(|(alias, _)| *alias)
    }
}

impl fmt::Display for Mixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_file_types() {
        for mixture in MIXTURES {
            assert_eq!(mixture.file_type.short_name(), Some(mixture.name));
            assert!(!mixture.file_type.is_removed(), "{mixture}");
            assert_eq!(Mixture::of_name(&mixture.name.to_lowercase()), Some(*mixture));
            assert_eq!(Mixture::of_name(&mixture.file_type.0.to_string()), Some(*mixture));
            assert!(ggufkit_quant::codec(mixture.base).is_some_and(|codec| codec.can_encode()), "{mixture}");
        }
        assert_eq!(Mixture::of_name("q4_k").map(|one| one.name), Some("Q4_K_M"));
        assert_eq!(Mixture::of_name("4"), None, "a number that is not in use any more");
        assert_eq!(Mixture::of_name("Q9_K"), None);
    }
}
