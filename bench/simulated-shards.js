import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { cli, runNode } from "./support.js";

/**
 * Writes the run folders of a run of `cases` cases in `of` shards, as if each had been run: one case is run as a shard, and
 * its lines are repeated under other names. Case k is in shard k mod `of`, and in each shard the trials end in an order of
 * their own. One case in 50 failed.
 */
export function writeSimulatedShards(folder, { cases, of }) {
  const { journal, run, lines } = runOne(join(folder, "one"));
  const shards = join(folder, "shards");
  for (let index = 1; index <= of; index += 1) {
    const own = Array.from({ length: Math.ceil((cases - index + 1) / of) }, (_, step) => step * of + index - 1);
    const id = run.head.run.id.replace(/.{6}$/, String(index).padStart(6, "0"));
    const into = join(shards, String(index), id);
    mkdirSync(into, { recursive: true });
    const header = { ...journal.header, runId: id };
    header.options = { ...header.options, shard: { index, of } };
    writeLines(join(into, "journal.jsonl"), [
      JSON.stringify(header),
      ...inAnotherOrder(own).map((place) => renamed(lines.trial, place)),
    ]);
    const head = structuredClone(run.head);
    Object.assign(head.run, { id, shard: { ...head.run.shard, index, of, suites: [{ name: "questions", cases }] } });
    const suite = { ...run.suite, places: own };
    writeLines(join(into, "run.json"), [
      `{"version":${run.version},"head":${JSON.stringify(head)},`,
      '"suites":[',
      `{"suite":${JSON.stringify(suite)},"tests":[`,
      ...own.map((place, step) => `${renamed(lines.test, place)}${step === own.length - 1 ? "" : ","}`),
      "]}",
      "]}",
    ]);
  }
  return shards;
}

/** Trials end about in the order of their cases, as eight of them run at a time. */
function inAnotherOrder(places) {
  return places.map((place, step) => places[(step ^ 5) < places.length ? step ^ 5 : step] ?? place);
}

const shownName = "questions/question[q0]@offline";

function renamed({ passed, failed }, place) {
  return (place % 50 === 7 ? failed : passed)
    .replaceAll(shownName, `questions/question[q${place}]@offline`)
    .replaceAll('"row":"q0"', `"row":"q${place}"`);
}

function runOne(folder) {
  const of = (answer) => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "kindlm.yaml"), config(answer));
    runNode([cli, "test", "--shard", "1/1"], { cwd: folder, status: answer === right ? 0 : 1 });
    const runs = join(folder, ".kindlm", "runs");
    const run = join(
      runs,
      readdirSync(runs).find((name) => !name.startsWith(".")),
    );
    return ["journal.jsonl", "run.json"].map((file) => readFileSync(join(run, file), "utf8").trim().split("\n"));
  };
  const [passed, failed] = [of(right), of("I do not know.")];
  const [journal, run] = passed;
  const head = JSON.parse(`${run[0]}"suites":[]}`);
  return {
    journal: { header: JSON.parse(journal[0]) },
    run: { version: head.version, head: head.head, suite: JSON.parse(`${run[2]}]}`).suite },
    lines: { trial: { passed: journal[1], failed: failed[0][1] }, test: { passed: run[3], failed: failed[1][3] } },
  };
}

const right = "It is forty-two.";

const config = (answer) => `version: 1
models:
  - { id: offline, provider: scripted, script: { otherwise: { text: ${answer} } } }
suites:
  - name: questions
    tests:
      - name: question
        rows: [{ id: q0 }]
        input: "What is the answer to question {{id}}?"
        assert:
          - { type: contains, value: forty-two }
          - { type: not_contains, value: sorry }
`;

function writeLines(file, lines) {
  const handle = openSync(file, "w");
  for (let from = 0; from < lines.length; from += 1_000) {
    writeSync(handle, `${lines.slice(from, from + 1_000).join("\n")}\n`);
  }
  closeSync(handle);
}
