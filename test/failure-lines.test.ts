import { beforeAll, describe, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { runCli } from "./support/run-cli.js";

/** An assertion in each place where one can be written. The mark at the end of a line is the case that fails there. */
const project = {
  "rows.csv": "id,word\none,wanted\n",
  "other.yaml": `name: other
models: [m]
tests:
  - name: elsewhere
    input: hi
    assert:
      - { type: contains, value: wanted } # other/elsewhere@m
`,
  "kindlm.yaml": `version: 1
models:
  - id: m
    provider: scripted
    script:
      rules: [{ when: { user: one }, reply: { text: hello one } }, { when: { user: two }, reply: { text: hello two } }]
      otherwise: { text: hello }
  - { id: critic, provider: scripted, script: { otherwise: { json: { reasoning: bad, score: 0.1 } } } }
defaults:
  assert:
    - { type: not_contains, value: one } # s/of-defaults@m
suites:
  - name: s
    models: [m]
    assert:
      - { type: starts_with, value: hello }
      - type: not_contains # s/of-suite@m
        value: two
    tests:
      - { name: of-defaults, input: one }
      - { name: of-suite, input: two }
      - name: after-a-judge
        input: hi
        assert:
          - { type: judge, model: critic, criteria: kind, threshold: 0 }
          - { type: contains, value: wanted } # s/after-a-judge@m
      - name: judged
        input: hi
        assert:
          - { type: judge, model: critic, criteria: kind, threshold: 0.7 } # s/judged@m
          - { type: contains, value: hello }
      - name: row
        dataset: rows.csv
        input: hi
        assert:
          - { type: contains, value: hello }
          - { type: contains, value: "{{word}}" } # s/row[one]@m
      - name: turns
        conversation:
          - { user: hi, assert: [{ type: contains, value: hello }] }
          - user: bye
            assert:
              - { type: contains, value: wanted } # s/turns@m
        assert:
          - { type: contains, value: hello }
      - name: group
        input: hi
        assert:
          - all_of: # s/group@m
              - { type: contains, value: hello }
              - { type: contains, value: wanted }
      - name: tries # s/tries@m
        input: hi
        retry_until: { max_tries: 2, assert: [{ type: contains, value: wanted }] }
        assert:
          - { type: contains, value: hello }
  - other.yaml
`,
};

const places = Object.entries(project).flatMap(([file, text]) =>
  text.split("\n").flatMap((line, index) => {
    const [, id] = / # (\S+)$/.exec(line) ?? [];
    return id === undefined ? [] : [{ id, place: `${file}:${index + 1}` }];
  }),
);
const sorted = (list: readonly string[]): readonly string[] => [...list].toSorted();

let cwd: string;
beforeAll(async () => {
  cwd = makeProject(project);
  await runCli(["test"], { cwd });
});

const report = async (reporter: string): Promise<string> =>
  (await runCli(["report", "--reporter", reporter], { cwd })).stdout;

describe("the line of a failure", () => {
  it("is that of its assertion in JUnit", async () => {
    const junit = await report("junit");
    expect(sorted([...junit.matchAll(/^(\S+\.yaml:\d+)<\/failure>/gm)].map(([, place = ""]) => place))).toEqual(
      sorted(places.map(({ place }) => place)),
    );
  });

  it("is that of its assertion in annotations", async () => {
    const lines = [...(await report("github")).matchAll(/^::error file=(.+?),line=(\d+),.*title=(\S+) failed/gm)];
    expect(sorted(lines.map(([, file, line, id]) => `${id} ${file}:${line}`))).toEqual(
      sorted(places.map(({ id, place }) => `${id} ${place}`)),
    );
  });

  it("is that of the assertion of its shown case in the terminal", async () => {
    const text = await report("pretty");
    const shown = [...text.matchAll(/ · (\S+\.yaml:\d+)\n(?: .+\n)?\n +(\S+)\n/g)].map(
      ([, place, id]) => `${id} ${place}`,
    );
    expect(shown).toHaveLength(text.match(/^✗ \d/gm)?.length ?? 0);
    expect(places.map(({ id, place }) => `${id} ${place}`)).toEqual(expect.arrayContaining(shown));
  });

  it("is in the JSON report for each assertion of a failed case", async () => {
    const json = await report("json");
    expect(json).toContain('"assertionPositions":[{"file":"other.yaml","line":7,');
    expect(json.match(/"assertionPositions"/g)).toHaveLength(places.length);
  });
});
