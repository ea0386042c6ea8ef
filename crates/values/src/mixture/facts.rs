//! What the rules look at: a few numbers of a model, and name, shape and type of its tensors.

use ggufkit_format::View;
use ggufkit_format::spec::TensorType;

/// Numbers of a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// `general.architecture`; empty where a file has none, and then the general rules hold.
    pub architecture: Vec<u8>,
    /// Layers, those of extra heads included.
    pub layers: u64,
    /// Experts; 0 or 1 for dense models.
    pub experts: u64,
    /// Query heads per head of keys and values, in the first layer; 0 where that one has no attention.
    pub heads_per_kv: u64,
    /// One of the models of some 70 billion parameters whose `attn_v` is small beside the rest.
    pub is_70b: bool,
}

/// Architectures whose models with so many layers count as 70B.
const LARGE: &[(&[u8], u64)] =
    &[(b"llama", 80), (b"llama-embed", 80), (b"qwen2", 80), (b"deci", 80), (b"olmo", 80), (b"jais2", 68)];

impl Facts {
    /// The facts that a head states.
    #[must_use]
    pub fn of(view: &View<'_>) -> Self {
        let architecture = view.get("general.architecture").and_then(|value| value.as_bytes());
        let architecture = architecture.unwrap_or_default().to_vec();
        let prefix = std::str::from_utf8(&architecture).unwrap_or_default();
        // What is given per layer counts as in the first one.
        let number = |key: &str| {
            let value = view.get(&format!("{prefix}.{key}"))?;
            value.as_u64().or_else(|| value.as_array()?.get(0)?.as_u64())
        };
        let stated = number("block_count").unwrap_or(0);
        let extra = number("nextn_predict_layers").unwrap_or(0);
        let layers = match prefix {
            // Layers that are run several times count as often.
            "nanbeige" => stated.saturating_mul(number("num_loops").unwrap_or(1).max(1)),
            // The router is a layer of its own.
            "graniteswitch" => stated.saturating_sub(extra).saturating_add(1),
            _ => stated,
        };
        let heads = number("attention.head_count").unwrap_or(0);
        let kv = number("attention.head_count_kv").unwrap_or(heads);
        let experts = number("expert_count").unwrap_or(0);
        let own = stated.saturating_sub(extra);
        let is_large = LARGE.iter().any(|(name, layers)| *name == architecture && *layers == own);
        let is_llama = architecture.starts_with(b"llama");
        let is_70b = is_large && !(is_llama && (experts == 8 || heads == kv));
        Self { layers, experts, heads_per_kv: heads.checked_div(kv).unwrap_or(0), is_70b, architecture }
    }

    /// Whether the architecture is this one.
    #[must_use]
    pub fn is(&self, architecture: &str) -> bool {
        self.architecture == architecture.as_bytes()
    }
}

/// What there is to know of a tensor without its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its dimensions, the row length first.
    pub dims: &'a [u64],
    /// Its type.
    pub tensor_type: TensorType,
}

impl Shape<'_> {
    /// Values of a row.
    #[must_use]
    pub fn row(&self) -> u64 {
        self.dims.first().copied().unwrap_or(1)
    }

    /// Matrices of a tensor of three dimensions: one per expert.
    #[must_use]
    pub fn matrices(&self) -> u64 {
        self.dims.get(2).copied().unwrap_or(1)
    }

    /// Dimensions without those of 1 at the end.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.dims.iter().rposition(|&dim| dim > 1).map_or(1, |last| last.saturating_add(1))
    }

    /// The number of the layer, where the name begins with `blk.N.`.
    #[must_use]
    pub fn layer(&self) -> Option<u64> {
        let rest = self.name.strip_prefix(b"blk.")?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at_checked(digits)?;
        rest.starts_with(b".").then_some(())?;
        std::str::from_utf8(number).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggufkit_format::{Options, parse};
    use ggufkit_testkit::{Builder, Value};

    fn facts(architecture: &str, numbers: &[(&str, u32)]) -> Facts {
        let mut built = Builder::new().kv("general.architecture", architecture);
        for (key, number) in numbers {
            built = built.kv(format!("{architecture}.{key}"), *number);
        }
        of(built)
    }

    fn of(built: Builder) -> Facts {
        let bytes = built.bytes();
        let index = parse(&bytes, Options::new()).into_result().unwrap();
        Facts::of(&View::new(&index, &bytes))
    }

    #[test]
    fn facts_are_those_that_the_keys_state() {
        let heads = [("attention.head_count", 64), ("attention.head_count_kv", 8), ("block_count", 80)];
        let llama = facts("llama", &heads);
        assert_eq!((llama.layers, llama.experts, llama.heads_per_kv, llama.is_70b), (80, 0, 8, true));
        assert!(!facts("llama", &[heads[0], heads[2]]).is_70b, "as many heads of keys as of queries");
        assert!(!facts("llama", &[heads[0], heads[1], heads[2], ("expert_count", 8)]).is_70b);
        assert!(!facts("falcon", &heads).is_70b);
        assert!(facts("qwen2", &[heads[0], heads[2]]).is_70b);
        // Layers behind the model's own are counted, and do not make it another model.
        let extra = facts("qwen2", &[("block_count", 81), ("nextn_predict_layers", 1)]);
        assert_eq!((extra.layers, extra.is_70b), (81, true));
        assert_eq!(facts("nanbeige", &[("block_count", 12), ("num_loops", 3)]).layers, 36);
        assert_eq!(facts("graniteswitch", &[("block_count", 12)]).layers, 13);
        // A number per layer counts as in the first one; a first layer without attention shares nothing.
        let kv = Value::from(vec![0_u32, 8]);
        let each = Builder::new().kv("general.architecture", "deci").kv("deci.attention.head_count", 64_u32);
        assert_eq!(of(each.kv("deci.attention.head_count_kv", kv)).heads_per_kv, 0);
        assert_eq!(of(Builder::new()), Facts::default());
    }

    #[test]
    fn shapes_tell_rank_and_layer() {
        let shape = |name: &'static str, dims: &'static [u64]| Shape {
            name: name.as_bytes(),
            dims,
            tensor_type: TensorType::F32,
        };
        assert_eq!(shape("a", &[8, 1]).rank(), 1);
        assert_eq!(shape("a", &[8, 2, 1]).rank(), 2);
        assert_eq!(shape("a", &[1, 1, 3]).rank(), 3);
        assert_eq!(shape("blk.12.attn_q.weight", &[]).layer(), Some(12));
        for name in ["blk.x.a", "blk.", "blk.1", "enc.blk.1.a", "blk.99999999999999999999.a"] {
            assert_eq!(shape(name, &[]).layer(), None, "{name}");
        }
    }
}
