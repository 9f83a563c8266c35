import { parseOwnJson, type JsonValue } from "../../values/json.js";
import { attemptSync } from "../../errors/boundary.js";
import { messageOf } from "../../errors/message-of.js";
import { failure, success, type Result } from "../../result.js";
import { jsonLimitOf } from "../../values/parse-json.js";
import type { ColumnType } from "../schema/dataset-schema.js";

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a cell is written as JSON writes numbers, so that it can be read as one: `007` and `1,5` cannot. */
export function isNumber(cell: string): boolean {
  return jsonNumber.test(cell);
}

/** A cell as its column is typed. The error completes a sentence that starts with the cell. */
export function readCell(cell: string, type: ColumnType): Result<JsonValue, string> {
  if (type === "string") return success(cell);
  const written = cell.trim();
  switch (type) {
    case "number": {
      if (!isNumber(written)) return failure("is not a number");
      const value = Number(written);
      if (!Number.isFinite(value) || (/^-?\d+$/.test(written) && !Number.isSafeInteger(value))) {
        return failure("has more digits than a number can hold");
      }
      return success(value);
    }
    case "boolean": {
      const lower = written.toLowerCase();
      return lower === "true" || lower === "false" ? success(lower === "true") : failure("is not true or false");
    }
    case "json": {
      const parsed = attemptSync(() => parseOwnJson(written), messageOf);
      if (!parsed.success) return failure(`is not JSON: ${parsed.error}`);
      const limit = jsonLimitOf(parsed.data);
      return limit === null ? parsed : failure(`is ${limit}`);
    }
  }
}
