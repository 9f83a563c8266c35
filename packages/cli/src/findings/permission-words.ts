import { isRecord, plural } from "@kindlm/core/program";
import { aboutCall, callsIn, countWanted, isCall } from "./call-words.js";
import type { Describe } from "./failure-words.js";
import { nameOf } from "./wrong-value.js";

/** Words for what became of calls under the permissions of a test. */
export const permissionWords: Readonly<Record<string, Describe>> = {
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
};
