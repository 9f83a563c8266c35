import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { attemptSync } from "../errors/boundary.js";
import { readError, systemCodeOf, writeError } from "./store-error.js";

const missing = attemptSync(
  () => readFileSync("/no/such/file"),
  (cause) => cause,
);

it("names the file as people know it, and the error of the system where there is one", () => {
  const cause = missing.success ? null : missing.error;
  expect(systemCodeOf(cause)).toBe("ENOENT");
  expect(writeError("out/report.json", cause)).toMatchObject({
    code: "STORE_WRITE_ERROR",
    message: expect.stringMatching(/^Cannot write out\/report\.json: ENOENT/),
    details: { path: "out/report.json", systemCode: "ENOENT" },
    cause,
  });
  expect(readError("run.json", cause)).toMatchObject({ code: "STORE_CORRUPT", details: { path: "run.json" }, cause });
});

it.each([["text"], [null], [new Error("plain")], [{ code: "ENOENT" }], [Object.assign(new Error("x"), { code: 7 })]])(
  "takes %o for no error of the system",
  (cause) => {
    expect(systemCodeOf(cause)).toBeNull();
    expect(writeError("f", cause).details).toEqual({ path: "f" });
  },
);
