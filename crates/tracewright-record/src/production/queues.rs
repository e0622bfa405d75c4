//! The queues: of the site, in which work orders stand, and of operators, in which jobs do. A key stands in a queue once. The
//! queue of an operator follows the site queue unless it is independent.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::part;
use crate::aql::production::queue_parts::{Jobs as Job, Row as Parts};
use crate::aql::production::{PUT_QUEUES, QUEUE_PARTS, put_queues, queue_parts};
use crate::error::Result;
use crate::store::{Query, Transaction, guards, typed};

/// Everything that changes of queues run.
pub const QUERIES: [Query; 2] = [QUEUE_PARTS, PUT_QUEUES];
/// What calls of this process that may change the queues wait for: one document holds the orders of a site, and of two that
/// change it the later would have to begin again.
pub const UNIT: &str = "Queue";
/// The one site.
pub const SITE: &str = "0";

/// What changes in the queues. It is made when the jobs are stored, whose assignees decide where they stand.
#[derive(Debug, Default)]
pub struct Changes {
    appended: Vec<String>,
    removed: HashSet<String>,
    /// Jobs that are added to queues, by operator.
    added: BTreeMap<String, Vec<String>>,
    /// Operators whose queues are looked at.
    touched: BTreeSet<String>,
    /// Jobs that do not exist any more.
    gone: HashSet<String>,
    /// Whether all queues that are not independent follow a new order of the site queue.
    follows_site: bool,
    everybody: bool,
}

impl Changes {
    /// A work order comes to the end of the site queue, unless it stands there.
    pub fn append_order(&mut self, key: &str) {
        self.removed.remove(key);
        self.appended.push(key.to_owned());
    }

    /// A work order leaves the site queue.
    pub fn remove_order(&mut self, key: &str) {
        self.removed.insert(key.to_owned());
    }

    /// A job comes into the queue of an operator.
    pub fn add_job(&mut self, job_key: &str, operator_key: &str) {
        self.touched.insert(operator_key.to_owned());
        self.added.entry(operator_key.to_owned()).or_default().push(job_key.to_owned());
    }

    /// A job that is closed or given to somebody else leaves the queue of an operator.
    pub fn remove_job(&mut self, job_key: &str, operator_key: &str) {
        self.touched.insert(operator_key.to_owned());
        if let Some(added) = self.added.get_mut(operator_key) {
            added.retain(|key| key != job_key);
        }
    }

    /// A job is assigned to somebody else, or to nobody.
    pub fn assign(&mut self, job_key: &str, from: Option<&str>, to: Option<&str>) {
        if let Some(from) = from {
            self.remove_job(job_key, from);
        }
        if let Some(to) = to {
            self.add_job(job_key, to);
        }
    }

    /// A job that is deleted leaves every queue.
    pub fn forget_job(&mut self, job_key: &str) {
        self.gone.insert(job_key.to_owned());
        self.everybody = true;
    }

    /// The site queue has another order by now: all queues that are not independent follow.
    pub fn follow_site(&mut self) {
        self.follows_site = true;
        self.everybody = true;
    }

    /// The queue of an operator is put into its order again.
    pub fn sort_again(&mut self, operator_key: &str) {
        self.touched.insert(operator_key.to_owned());
    }

    /// Makes the changes, and tells the key of the site queue where it was looked at.
    pub async fn apply(self, trx: &Transaction) -> Result<Option<String>> {
        let nothing = self.appended.is_empty() && self.removed.is_empty() && self.touched.is_empty();
        if nothing && !self.everybody {
            return Ok(None);
        }
        let operator_keys = self.touched.iter().collect();
        let parts = queue_parts(trx, queue_parts::Params { operator_keys, everybody: self.everybody }).await?;
        let mut site_key = part::<Queue>(&parts.site).key;
        let written = self.written(parts)?;
        if !written.is_empty() {
            let mut stored = put(trx, &written).await?.into_iter().map(|queue| part::<Queue>(&queue));
            site_key = site_key.or_else(|| stored.find(|queue| queue.r#type == "s")?.key);
        }
        Ok(site_key)
    }

    /// The queues that are another than before.
    fn written(&self, parts: Parts) -> Result<Vec<Value>> {
        let Parts { site, queues, jobs, phases } = parts;
        let mut written = Vec::new();
        let site = if site.is_null() { typed::bound(&NewQueue::of_site(None))? } else { site };
        let orders = self.site_orders(&keys(&part::<Queue>(&site).work_orders));
        push_changed(&mut written, site, "work_orders", &orders);
        let order = SiteOrder::new(&orders, &jobs, &phases);
        let mut missing = self.added.clone();
        for queue in queues {
            let Queue { r#type, subqueue_target_key, jobs, independent, .. } = part(&queue);
            let target = subqueue_target_key.as_str().unwrap_or_default().to_owned();
            let added = missing.remove(&target).unwrap_or_default();
            let before = keys(&jobs);
            // An empty queue has nothing to sort.
            let follows = self.follows_site && !before.is_empty();
            let list = if r#type == "o" && (self.touched.contains(&target) || follows) {
                order.list(&target, &before, &added, independent == true)
            } else {
                before.into_iter().filter(|key| !self.gone.contains(key)).collect()
            };
            push_changed(&mut written, queue, "jobs", &list);
        }
        for (target, added) in missing.into_iter().filter(|(_, added)| !added.is_empty()) {
            let list = order.list(&target, &[], &added, false);
            written.push(new_queue(&target, &list, false)?);
        }
        Ok(written)
    }

    fn site_orders(&self, before: &[String]) -> Vec<String> {
        once(before.iter().chain(&self.appended).filter(|key| !self.removed.contains(*key)).cloned())
    }
}

/// Stores queues. The guard stands for all of them: the order of one follows from others that need not be written.
pub async fn put(trx: &Transaction, queues: &[Value]) -> Result<Vec<Value>> {
    let guards = guards::keys_of_collections(["Queue"]);
    put_queues(trx, put_queues::Params { queues, guards: (&guards).into(), now: guards::now() }).await
}

/// What is looked at of a stored queue.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Queue {
    #[serde(rename = "_key")]
    key: Option<String>,
    r#type: Value,
    subqueue_target_key: Value,
    work_orders: Value,
    jobs: Value,
    independent: Value,
}

/// What is stored of a new queue.
#[derive(Serialize)]
struct NewQueue<'a> {
    r#type: &'static str,
    site_key: &'static str,
    subqueue_target_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    work_orders: Option<[String; 0]>,
    jobs: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    independent: Option<bool>,
}

impl NewQueue<'_> {
    fn of_site(work_orders: Option<[String; 0]>) -> Self {
        Self { r#type: "s", site_key: SITE, subqueue_target_key: None, work_orders, jobs: &[], independent: None }
    }
}

/// The queue of an operator who has none.
pub fn new_queue(operator_key: &str, jobs: &[String], independent: bool) -> Result<Value> {
    Ok(typed::bound(&NewQueue {
        r#type: "o",
        site_key: SITE,
        subqueue_target_key: Some(operator_key),
        work_orders: Some([]),
        jobs,
        independent: Some(independent),
    })?)
}

/// The queue of the site, which has none.
pub fn new_site_queue() -> Result<Value> {
    Ok(typed::bound(&NewQueue::of_site(Some([])))?)
}

/// A wish for the order of a list: what of it is known comes first, each once, and the rest of the list behind it in its order.
pub fn wished(wish: &[String], before: &[String], known: &[String]) -> Vec<String> {
    let known: HashSet<&String> = known.iter().collect();
    once(wish.iter().chain(before).filter(|key| known.contains(*key)).cloned())
}

/// The open jobs of operators in the order of the site queue, within an order in that of its phases.
struct SiteOrder {
    /// Each with whether its order stands in the site queue.
    sorted: Vec<(bool, Job)>,
}

impl SiteOrder {
    fn new(orders: &[String], jobs: &[Job], phases: &Map<String, Value>) -> Self {
        let places: HashMap<&str, usize> =
            orders.iter().enumerate().map(|(place, key)| (key.as_str(), place)).collect();
        let place = |job: &Job| {
            let wo_key = job.wo_key.as_deref().unwrap_or_default();
            let sequence = phases.get(wo_key).map(keys).unwrap_or_default();
            let phase = sequence.iter().position(|key| Some(key) == job.phase_key.as_ref()).unwrap_or(sequence.len());
            (places.get(wo_key).copied().unwrap_or(usize::MAX), phase)
        };
        let mut placed: Vec<((usize, usize), Job)> = jobs.iter().map(|job| (place(job), job.clone())).collect();
        placed.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| a.key.cmp(&b.key)));
        Self { sorted: placed.into_iter().map(|((order, _), job)| (order != usize::MAX, job)).collect() }
    }

    /// The list of an operator. What is not open or not assigned to them any more is left out.
    fn list(&self, operator_key: &str, before: &[String], added: &[String], is_independent: bool) -> Vec<String> {
        let own = || self.sorted.iter().filter(|(_, job)| job.assigned_to == operator_key);
        let open: HashSet<&str> = own().map(|(_, job)| job.key.as_str()).collect();
        let stay = before.iter().chain(added).filter(|key| open.contains(key.as_str())).cloned();
        if is_independent {
            return once(stay);
        }
        let in_place = own().filter(|(is_queued, _)| *is_queued).map(|(_, job)| job.key.clone());
        once(in_place.chain(stay))
    }
}

fn push_changed(written: &mut Vec<Value>, mut queue: Value, member: &str, list: &[String]) {
    let is_new = part::<Queue>(&queue).key.is_none();
    let lists = Value::from(list);
    if is_new || queue[member] != lists {
        queue[member] = lists;
        if let Some(members) = queue.as_object_mut() {
            members.retain(|name, _| !matches!(name.as_str(), "_id" | "_rev"));
        }
        written.push(queue);
    }
}

/// The keys in a list.
pub fn keys(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Each key at its first place.
pub fn once(keys: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    keys.filter(|key| seen.insert(key.clone())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parts(site: &[&str], queues: Value, jobs: &[(&str, &str, &str, &str)]) -> Parts {
        let job = |(key, wo_key, phase_key, user): &(&str, &str, &str, &str)| Job {
            key: (*key).to_owned(),
            wo_key: Some((*wo_key).to_owned()),
            phase_key: Some((*phase_key).to_owned()),
            assigned_to: (*user).to_owned(),
        };
        let phases = ["w1", "w2", "w3"].map(|key| (key.to_owned(), json!(["p1", "p2"])));
        Parts {
            site: json!({"_key": "s", "_id": "Queue/s", "_rev": "1", "type": "s", "work_orders": site}),
            queues: serde_json::from_value(queues).unwrap(),
            jobs: jobs.iter().map(job).collect(),
            phases: phases.into_iter().collect(),
        }
    }

    const JOBS: [(&str, &str, &str, &str); 4] =
        [("a", "w1", "p2", "u"), ("b", "w1", "p1", "u"), ("c", "w2", "p1", "u"), ("d", "w3", "p1", "u")];

    fn queue(jobs: &[&str], independent: bool) -> Value {
        json!([{"_key": "q", "type": "o", "subqueue_target_key": "u", "jobs": jobs, "independent": independent}])
    }

    #[test]
    fn a_job_is_put_where_its_order_and_phase_stand_and_others_stay_at_the_end() {
        let mut changes = Changes::default();
        changes.add_job("b", "u");
        let written = changes.written(parts(&["w2", "w1"], queue(&["d", "a", "x", "c"], false), &JOBS)).unwrap();
        assert_eq!(written.len(), 1, "the site queue is not written");
        assert_eq!(written[0]["jobs"], json!(["c", "b", "a", "d"]), "what is not open any more is gone");
    }

    #[test]
    fn an_independent_queue_keeps_its_order_and_takes_a_job_at_the_end_once() {
        let mut changes = Changes::default();
        changes.add_job("b", "u");
        changes.add_job("c", "u");
        let written = changes.written(parts(&["w2", "w1"], queue(&["d", "c"], true), &JOBS)).unwrap();
        assert_eq!(written[0]["jobs"], json!(["d", "c", "b"]));
    }

    #[test]
    fn a_first_assignment_makes_a_queue() {
        let mut changes = Changes::default();
        changes.add_job("b", "u");
        let written = changes.written(parts(&["w1"], json!([]), &JOBS)).unwrap();
        assert_eq!(written[0]["jobs"], json!(["b", "a"]), "with everything that is theirs");
        assert_eq!((&written[0]["type"], &written[0]["independent"]), (&json!("o"), &json!(false)));
    }

    #[test]
    fn an_order_comes_to_the_end_once_and_leaves_the_site_queue() {
        let mut changes = Changes::default();
        changes.append_order("w3");
        changes.append_order("w1");
        changes.remove_order("w2");
        let written = changes.written(parts(&["w1", "w2", "w1"], json!([]), &[])).unwrap();
        assert_eq!(written, [json!({"_key": "s", "type": "s", "work_orders": ["w1", "w3"]})]);
    }

    #[test]
    fn a_site_without_a_queue_gets_one() {
        let mut changes = Changes::default();
        changes.append_order("w1");
        let written = changes.written(Parts { site: Value::Null, ..parts(&[], json!([]), &[]) }).unwrap();
        assert_eq!((&written[0]["site_key"], &written[0]["work_orders"]), (&json!("0"), &json!(["w1"])));
    }

    #[test]
    fn a_wish_is_followed_as_far_as_it_is_known_and_nothing_is_lost() {
        let text = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        let known = text(&["a", "b", "c"]);
        assert_eq!(wished(&text(&["c", "x", "c", "a"]), &text(&["a", "b", "gone"]), &known), text(&["c", "a", "b"]));
    }
}
