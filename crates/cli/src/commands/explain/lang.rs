//! The language of explanations: asked for, or that of the environment.

use ggufkit::format::spec::Lang;

/// A language by its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum LangArg {
    /// English
    En,
    /// 中文
    Zh,
}

/// The language asked for; without one, that of LC_ALL, LC_MESSAGES or LANG, the first that is set.
pub(crate) fn choose(asked: Option<LangArg>) -> Lang {
    match asked {
        Some(LangArg::En) => Lang::En,
        Some(LangArg::Zh) => Lang::Zh,
        None => of_environment(|name| std::env::var(name).ok()),
    }
}

fn of_environment(get: impl Fn(&str) -> Option<String>) -> Lang {
    let set = |name: &&str| get(name).filter(|value| !value.is_empty());
    match ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(set) {
        Some(locale) if locale.to_ascii_lowercase().starts_with("zh") => Lang::Zh,
        _ => Lang::En,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let of = |vars: &[(&str, &str)]| {
            of_environment(|name| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
        };
        assert_eq!(of(&[]), Lang::En);
        assert_eq!(of(&[("LANG", "zh_CN.UTF-8")]), Lang::Zh);
        assert_eq!(of(&[("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8")]), Lang::En);
        assert_eq!(of(&[("LC_ALL", ""), ("LC_MESSAGES", "zh_TW"), ("LANG", "de_DE")]), Lang::Zh);
    }
}
