import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { setMember } from "./native-post.js";

describe("setMember", () => {
  it.each([
    ['{"model":"a","n":1}', '{"model":"b","n":1}'],
    ['\n{ "n" : [ {"model":"a"}, "}" ] ,\t"model" : "x\\"" }', '\n{ "n" : [ {"model":"a"}, "}" ] ,\t"model" : "b" }'],
    ['{"n":1.50e3,"m":-0 }', '{"n":1.50e3,"m":-0,"model":"b" }'],
    ["{}", '{"model":"b"}'],
    ['{"model":{"a":[]},"model":null}', '{"model":{"a":[]},"model":"b"}'],
    ['{"mod\\u0065l":1}', '{"mod\\u0065l":"b"}'],
  ])("leaves every other byte of %s", (before, after) => {
    expect(setMember(before, ["model"], '"b"')).toBe(after);
  });

  it.each([
    ['{"a": {"b" :1.0} ,"c":{}}', '{"a": {"b" :1.0,"x":2} ,"c":{}}'],
    ['{"a":{"x":1,"b":{"x":1}}}', '{"a":{"x":2,"b":{"x":1}}}'],
    ['{"a":[]}', null],
    ['{"b":{}}', null],
  ])("sets the member of a member in %s", (before, after) => {
    expect(setMember(before, ["a", "x"], "2")).toBe(after);
  });

  it.each(["[]", "1", '"{}"'])("sets nothing in %s", (text) => {
    expect(setMember(text, ["model"], "1")).toBeNull();
  });

  it("gives what a parser makes of the object with the member", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, fc.string(), fc.jsonValue(), fc.constantFrom(0, 1, "\t"), (value, key, member, indent) => {
        const set = setMember(JSON.stringify(value, null, indent), [key], JSON.stringify(member));
        const text = JSON.stringify(member);
        expect(JSON.parse(set ?? "")).toEqual(
          JSON.parse(
            `{${[
              ...Object.entries(value)
                .filter(([name]) => name !== key)
                .map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`),
              `${JSON.stringify(key)}:${text}`,
            ].join(",")}}`,
          ),
        );
      }),
    );
  });
});
