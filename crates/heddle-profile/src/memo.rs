//! What was last asked for. People look at one window for a while: they sort, search, scroll and point at things, and each time the
//! same numbers are needed again.

use std::sync::{Arc, Mutex, PoisonError};

/// Answers that are kept.
const MOST: usize = 4;

/// The last answers, and what they answer.
#[derive(Debug)]
pub(crate) struct Memo<Question, Answer> {
    known: Mutex<Vec<(Question, Arc<Answer>)>>,
}

impl<Question, Answer> Default for Memo<Question, Answer> {
    fn default() -> Memo<Question, Answer> {
        Memo { known: Mutex::new(Vec::new()) }
    }
}

impl<Question: PartialEq, Answer> Memo<Question, Answer> {
    /// The answer to a question, found if nobody has asked it lately. Those that are not `small` are not kept.
    pub(crate) fn get(
        &self,
        question: Question,
        find: impl FnOnce(&Question) -> Answer,
        small: impl FnOnce(&Answer) -> bool,
    ) -> Arc<Answer> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, answer)) = lock().iter().find(|(known, _)| *known == question) {
            return Arc::clone(answer);
        }
        // Others need not wait for it.
        let answer = Arc::new(find(&question));
        if small(&answer) {
            let mut known = lock();
            known.insert(0, (question, Arc::clone(&answer)));
            known.truncate(MOST);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_answers_are_known_and_large_ones_are_not() {
        let memo = Memo::default();
        let mut found = Vec::new();
        let mut ask = |question: usize| {
            let answer = memo.get(
                question,
                |question| {
                    found.push(*question);
                    question * 2
                },
                |answer| *answer < 100,
            );
            assert_eq!(*answer, question * 2);
        };
        for number in [1, 1, 2, 3, 4, 1, 5, 2, 5, 50, 50, 1] {
            ask(number);
        }
        // The fifth question pushed out the first, and 50 was never kept.
        assert_eq!(found, [1, 2, 3, 4, 5, 50, 50, 1]);
    }
}
