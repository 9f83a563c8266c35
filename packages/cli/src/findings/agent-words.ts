import { matchValue } from "@kindlm/core";
import { isRecord, plural } from "@kindlm/core/program";
import { aboutCall, callsIn, countWanted, isCall } from "./call-words.js";
import type { Describe, Wording } from "./failure-words.js";
import { nameOf, wrongValue } from "./wrong-value.js";

/** Words for what an agent did with permissions, skills, sub-agents, todos, and files. */
export const agentWords: Readonly<Record<string, Describe>> = {
  permission({ expected, actual }, wording) {
    if (!isRecord(expected)) return null;
    const wanted = wording.text(expected["decision"]);
    const found = callsIn(actual);
    const [call] = found;
    const of = wording.text(expected["tool"]);
    if (call === undefined) {
      return { title: `No call of ${of} is ${wanted}`, sort: `${wanted} missing`, reason: `no call of ${of}` };
    }
    const decisions = found.map((one) => wording.text("decision" in one ? one.decision : ""));
    const tool = nameOf(call, wording);
    const columns = { decisions: decisions.join(", ") };
    const odd = decisions.find((decision) => decision !== wanted);
    if (odd !== undefined && !decisions.includes(wanted)) {
      const reason = `${tool} ${odd}, expected ${wanted}`;
      return { title: `${tool} is ${odd}, not ${wanted}`, tool, sort: `${wanted} ${odd}`, columns, reason };
    }
    const times = plural(decisions.filter((decision) => decision === wanted).length, "time");
    const reason = `${tool} ${wanted} ${times}, expected ${countWanted(expected).text}`;
    return { title: `${tool} is ${wanted} too often or too rarely`, tool, sort: `${wanted} count`, columns, reason };
  },

  approvals({ actual }, wording) {
    const call = isCall(actual) ? actual : null;
    return call === null
      ? null
      : aboutCall(call, (tool) => `${tool} waits for an approval that is not given`, "waits for an approval", wording);
  },

  loads_skill({ expected, actual, message }, wording) {
    if (!isRecord(expected)) return null;
    const skill = wording.text(expected["skill"]);
    const loaded = textsIn(actual, wording);
    const columns = { loaded: loaded === "" ? "nothing" : loaded };
    if (expected["times"] === 0) {
      const title = `Skill ${skill} is loaded, and must not be`;
      return { title, path: skill, sort: "forbidden", columns, reason: `skill ${skill} loaded` };
    }
    const isLoaded = Array.isArray(actual) && actual.includes(expected["skill"]);
    if (!isLoaded) {
      const title = `Skill ${skill} is not loaded`;
      return { title, path: skill, sort: "missing", columns, reason: `skill ${skill} not loaded` };
    }
    const [, first] = /, but (.* was called first)$/s.exec(message) ?? [];
    if (first !== undefined) {
      const note = wording.text(first);
      return { title: `Skill ${skill} is loaded too late`, path: skill, sort: "late", note, reason: note };
    }
    const reason = `skill ${skill} ${wording.text(/, but it (was .*)$/s.exec(message)?.[1] ?? "")}`;
    return { title: `Skill ${skill} is loaded too often or too rarely`, path: skill, sort: "count", columns, reason };
  },

  delegates_to({ expected, actual }, wording) {
    if (!isRecord(expected)) return null;
    const name = wording.text(expected["template"]);
    const tasks = Array.isArray(actual) ? actual.filter(isRecord) : [];
    const given = tasks.filter(({ template }) => template === expected["template"]);
    const last = given.at(-1);
    const of = { path: name };
    if (last === undefined) {
      const others = textsIn([...new Set(tasks.map(({ template }) => template))], wording);
      const columns = { "delegated to": others === "" ? "nobody" : others };
      const title = `No task is delegated to ${name}`;
      return { title, ...of, sort: "missing", columns, reason: `no task delegated to ${name}` };
    }
    if (expected["times"] !== 0 && expected["prompt"] !== undefined) {
      const { noun, words } = wrongValue(expected["prompt"], last["prompt"], wording);
      const { [noun]: found = "–", expected: wanted = "" } = words.columns;
      const reason = `prompt ${found}, expected ${wanted}`;
      const columns = { prompt: found, expected: wanted };
      const isWrong = given.every(({ prompt }) => !matchValue(expected["prompt"], prompt).pass);
      if (isWrong) return { title: `The task of ${name} has the wrong prompt`, ...of, sort: "prompt", columns, reason };
    }
    const { text: wanted, max } = countWanted(expected);
    const title =
      max === 0 ? `A task is delegated to ${name}, and must not be` : `${name} gets too many tasks or too few`;
    const columns = { tasks: String(given.length), expected: wanted };
    const reason = `${plural(given.length, "task")} delegated to ${name}, expected ${wanted}`;
    return { title, ...of, sort: "count", columns, reason };
  },

  hands_off_to({ expected, actual, message }, wording) {
    if (!isRecord(expected)) return null;
    const name = wording.text(expected["to"]);
    const handOffs = Array.isArray(actual) ? actual.filter(isRecord) : [];
    const said = textsIn([...new Set(handOffs.map(({ from, to }) => `${String(from)} → ${String(to)}`))], wording);
    const columns = { "hand-offs": said === "" ? "none" : said };
    const [, found = ""] = /, but (.*)$/s.exec(message) ?? [];
    const of = { path: name, columns, reason: wording.text(found) };
    if (expected["times"] === 0) {
      return { title: `The conversation is handed to ${name}, and must not be`, sort: "forbidden", ...of };
    }
    return { title: `The conversation is not handed to ${name} as expected`, sort: "missing", ...of };
  },

  todo({ expected, actual, message }, wording) {
    const todos = Array.isArray(actual) ? actual.filter(isRecord) : [];
    const shown = todos.map(({ title, status }) => `${wording.text(title)} (${wording.text(status)})`).join(", ");
    const columns = { todos: shown === "" ? "none" : shown };
    if (todos.length === 0) {
      return { title: "The agent has no todos", sort: "none", columns, reason: "no todos" };
    }
    const all = isRecord(expected) ? expected["all"] : undefined;
    const odd = todos.find(({ status }) => status !== all);
    if (typeof all === "string" && odd !== undefined) {
      const reason = `${wording.show(odd["title"])} is ${wording.text(odd["status"])}`;
      return { title: `Not all todos are ${wording.text(all)}`, sort: "all", columns, reason };
    }
    const [, wanted = "other todos"] = /^Expected (.*), but there are /s.exec(message) ?? [];
    const reason = `expected ${wording.text(wanted)}`;
    return { title: "The todo list is not as expected", sort: wanted, columns, reason };
  },

  files_changed({ expected, actual, message }, wording) {
    const [, stray, missing] = /, but (?:(.*?) changed)?(?:, and )?(?:([^,].*) did not)?$/s.exec(message) ?? [];
    const columns = { changed: textsIn(actual, wording) || "nothing", expected: wording.text(expected) };
    if (stray !== undefined) {
      const title =
        expected === "no file" ? "Files are changed, and must not be" : "Other files are changed than allowed";
      return { title, sort: "stray", columns, reason: `${wording.text(stray)} changed` };
    }
    if (missing === undefined) return null;
    const reason = `${wording.text(missing)} not changed`;
    return { title: "Files are not changed that should be", sort: "missing", columns, reason };
  },

  file({ message, actual }, wording) {
    const [, path = "", verb = "", wanted = ""] = fileClaim.exec(message) ?? [];
    const words = fileWords[verb];
    if (words === undefined) return null;
    const name = wording.text(path);
    const title = `${name} ${words}${verb === "contain" ? ` ${wording.text(wanted)}` : ""}`;
    const columns: Record<string, string> = actual === undefined ? {} : { content: wording.show(actual) };
    return { title, general: `${name} ${words}`, path: name, sort: verb, columns, reason: title };
  },
};

const fileClaim = /^Expected file "(.*?)" to (exist|be absent|be unchanged|be JSON|contain|match|be)(?: (.*?))?, but /s;
const fileWords: Readonly<Record<string, string>> = {
  exist: "does not exist",
  "be absent": "exists, and must not",
  "be unchanged": "is changed, and must not be",
  "be JSON": "is not JSON",
  contain: "does not contain",
  match: "does not match",
  be: "has other content than expected",
};

function textsIn(list: unknown, { text }: Wording): string {
  return Array.isArray(list) ? list.map(text).join(", ") : "";
}
