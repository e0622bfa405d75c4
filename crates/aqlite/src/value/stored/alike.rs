//! Short names compared without a call.

/// Are these the same, which are of one length? Most names are short, and a call would take longer than to look at them.
#[inline]
pub(super) fn are_alike(a: &[u8], b: &[u8]) -> bool {
    // what is longer than one chunk and no longer than two is covered by the first and the last one
    if let (Some(first), Some(last)) = (a.first_chunk::<8>(), a.last_chunk::<8>()) {
        let ends = Some(first) == b.first_chunk() && Some(last) == b.last_chunk();
        ends && (a.len() <= 16 || a == b)
    } else if let (Some(first), Some(last)) = (a.first_chunk::<4>(), a.last_chunk::<4>()) {
        Some(first) == b.first_chunk() && Some(last) == b.last_chunk()
    } else {
        a.iter().zip(b).all(|(a, b)| a == b)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::are_alike;

    proptest! {
        #[test]
        fn names_are_alike_if_all_their_bytes_are(name in "[a-c]{0,40}", at in 0..40_usize) {
            let (name, mut other) = (name.as_bytes(), name.clone().into_bytes());
            prop_assert!(are_alike(name, &other));
            if let Some(byte) = other.get_mut(at) {
                *byte ^= 1;
                prop_assert!(!are_alike(name, &other));
            }
        }
    }
}
