//! Files that lie: random damage to traces. Reading them ends, does not panic, and takes no more memory than the bytes
//! that are there can justify.

#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod chrome_support;

use chrome_support::read_files;
use heddle_formats::fuzz;
use heddle_testkit::{Chance, Counting, Measuring};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Something of everything.
const SEED: &str = r#"{"schemaVersion":1,"baseTimeNanoseconds":1711964646000000000,"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":10,"tid":10,"ts":1.5,"dur":20,"args":{"External id":1,"Input Dims":[[1,2],[]]}},
{"ph":"X","cat":"user_annotation","name":"nccl:all_reduce","pid":10,"tid":10,"ts":2,"dur":3.25,"args":{"External id":3}},
{"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":10,"tid":10,"ts":1.9,"dur":4,"args":{"External id":2,"Collective name":"allreduce","In msg nelems":100,"dtype":"Float","Group size":4,"Process Group Name":"0","Process Group Ranks":"[0, 1, 2, 3]","Rank":1,"Seq":12}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":10,"ts":2.5,"dur":1,"args":{"correlation":77}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce(x)","pid":0,"tid":7,"ts":8,"dur":20.125,"args":{"External id":2,"correlation":77}},
{"ph":"X","cat":"kernel","name":"overlaps","pid":0,"tid":7,"ts":20,"dur":20.125,"args":{"correlation":78}},
{"ph":"X","cat":"gpu_user_annotation","name":"nccl:all_reduce","pid":0,"tid":7,"ts":7.999,"dur":20.127},
{"ph":"B","name":"b\u00e9\ud83d\ude00","pid":"p","tid":-1,"ts":"5"},{"ph":"E","pid":"p","tid":-1,"ts":6e0},
{"ph":"b","cat":"net","id":"0x1","id2":{"local":"1"},"name":"get","pid":3,"ts":1},{"ph":"e","cat":"net","id":"0x1","name":"get","pid":3,"ts":9},
{"ph":"C","name":"mem","pid":3,"ts":4,"args":{"used":1e3,"free":-2}},{"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":99},
{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":10,"tid":10,"ts":3,"args":{"Total Allocated":5,"Total Reserved":6,"Device Id":0,"Device Type":1}},
{"ph":"s","cat":"ac2g","id":77,"name":"ac2g","pid":10,"tid":10,"ts":2.5},{"ph":"f","bp":"e","cat":"ac2g","id":77,"name":"ac2g","pid":0,"tid":7,"ts":8},
{"ph":"s","cat":"k","id":"0x9","name":"n","pid":10,"tid":10,"ts":2.75},{"ph":"t","cat":"k","id":"0x9","name":"n","pid":3,"tid":3,"ts":5},{"ph":"f","cat":"k","id":"0x9","name":"n","pid":4,"tid":4,"ts":6.5},
{"ph":"s","id2":{"local":1},"name":"n","pid":3,"tid":3,"ts":2},{"ph":"f","bp":"e","id2":{"local":1},"name":"n","pid":3,"tid":4,"ts":3},
{"ph":"M","name":"thread_name","pid":10,"tid":10,"args":{"name":"main"}},{"ph":"X","cat":"Trace","name":"w","pid":"Spans","tid":"x","ts":0,"dur":100}
],"distributedInfo":{"backend":"nccl","rank":1,"world_size":4,"pg_config":[{"pg_name":"0","pg_desc":"default_pg","pg_size":4,"ranks":[0,1,2,3]}]},"traceName":"rank1.json"}"#;

/// What Heddle itself writes, which says more than others do.
const OWN: &str = r#"{"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","name":"heddle_trace","pid":0,"tid":0,"args":{"version":1}},{"ph":"M","name":"process_name","pid":0,"tid":1,"args":{"name":"rank 0"}},
{"ph":"M","name":"heddle_process","pid":0,"tid":1,"args":{"rank":0,"main":1}},{"ph":"M","name":"heddle_location","pid":0,"tid":1,"args":{"kind":"cpu-thread"}},
{"ph":"M","name":"heddle_process","pid":1,"tid":2,"args":{"rank":1,"main":2}},{"ph":"M","name":"heddle_location","pid":1,"tid":2,"args":{"kind":"cpu-thread"}},
{"ph":"M","name":"heddle_region","pid":0,"tid":0,"args":{"name":"MPI_Recv","paradigm":"mpi","role":"receive","file":"a.c","line":3}},
{"ph":"M","name":"heddle_metric","pid":0,"tid":0,"args":{"name":"m","unit":"bytes","mode":"accumulated"}},
{"ph":"M","name":"heddle_communicator","pid":0,"tid":0,"args":{"name":"world","members":[1,2]}},{"ph":"M","name":"heddle_communicator","pid":0,"tid":0,"args":{"name":"","members":[1],"remote":[2],"parent":0}},
{"ph":"X","name":"MPI_Isend","cat":"mpi","pid":0,"tid":1,"ts":1.000,"dur":2.000},{"ph":"s","id":"0x5","name":"message","cat":"message","pid":0,"tid":1,"ts":1.500,"args":{"tag":4,"bytes":8,"communicator":0,"peer":2,"completed":9.000}},
{"ph":"X","name":"MPI_Recv","cat":"mpi","pid":1,"tid":2,"ts":1.000,"dur":5.000},{"ph":"f","bp":"e","id":"0x5","name":"message","cat":"message","pid":1,"tid":2,"ts":5.999,"args":{"tag":4,"bytes":8,"communicator":0,"peer":1,"time":6.000,"posted":1.000}},
{"ph":"X","name":"MPI_Allreduce","cat":"mpi","pid":0,"tid":1,"ts":7.000,"dur":4.000,"args":{"collective":"allreduce","communicator":0,"number":0,"root":1,"sent":8,"received":8,"from":7.100,"to":10.900}},
{"ph":"X","name":"MPI_Wait","cat":"mpi","pid":1,"tid":2,"ts":7.000,"dur":4.000,"args":{"collective":"allreduce","communicator":0,"number":0,"sent":8,"received":8,"posted":6.500}},
{"ph":"C","cat":"heddle","name":"m","pid":0,"tid":1,"ts":3.000,"args":{"value":5.5}},{"ph":"i","name":"n","cat":"heddle","s":"t","pid":0,"tid":1,"ts":4.000,"args":{"text":"t"}}
]}"#;

/// Damage that knows JSON: numbers made huge, brackets taken away, pieces doubled.
fn mutate(chance: &mut Chance, bytes: &mut Vec<u8>) {
    match chance.below(5) {
        0 => {
            let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
            let at = digits.get(chance.below(digits.len())).copied().unwrap_or(0);
            let huge: &[u8] =
                [&b"99999999999999999999"[..], b"4294967295", b"-9223372036854775808", b"1e999"][chance.below(4)];
            bytes.splice(at..at, huge.iter().copied());
        }
        1 => {
            let marks: Vec<usize> = (0..bytes.len()).filter(|at| b"{}[]\",:\\".contains(&bytes[*at])).collect();
            let at = marks.get(chance.below(marks.len())).copied().unwrap_or(0);
            if at < bytes.len() {
                if chance.below(2) == 0 {
                    let _ = bytes.remove(at);
                } else {
                    bytes[at] = b"{}[]\",:\\"[chance.below(8)];
                }
            }
        }
        2 => {
            let from = chance.below(bytes.len());
            let piece = bytes[from..bytes.len().min(from + chance.below(600))].to_vec();
            let at = chance.below(bytes.len());
            bytes.splice(at..at, piece);
        }
        3 => bytes.truncate(chance.below(bytes.len() + 1)),
        _ if bytes.is_empty() => {}
        _ => chance.damage(bytes),
    }
}

#[test]
fn damage_does_no_harm() {
    let measuring = Measuring::alone();
    let mut chance = Chance(7);
    for round in 0..10_000 {
        let mut bytes = [SEED, OWN][round % 2].as_bytes().to_vec();
        for _ in 0..=chance.below(4) {
            mutate(&mut chance, &mut bytes);
        }
        let ((), peak) = measuring.peak_of(|| fuzz::chrome(&bytes));
        assert!(peak < (64 << 20) + 60 * bytes.len(), "round {round}: {peak} bytes of memory");
        if let Ok(trace) = read_files(&[("t.json", &bytes)], 1 << 16) {
            // Nests, and times do not fall.
            assert!(trace.spans().len() * 10 <= bytes.len() + 100, "round {round}");
        }
    }
}

#[test]
fn bytes_made_to_be_read_again_and_again_are_given_up() {
    let _alone = Measuring::alone();
    let start = std::time::Instant::now();
    for (piece, times) in
        [(r#"},{"a":[[["#, 300_000), (r#"{"a":[{"b":1},"#, 200_000), (r#"[{"ph":"X "x"},"#, 200_000), ("[", 5_000_000)]
    {
        let bytes = format!("[{}", piece.repeat(times));
        let _ = read_files(&[("t.json", bytes.as_bytes())], 1 << 24);
        let bytes = format!("{{\"traceEvents\":[{}]}}", piece.repeat(times));
        let _ = read_files(&[("t.json", bytes.as_bytes())], 1 << 24);
    }
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
