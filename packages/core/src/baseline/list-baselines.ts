import { readdir } from "node:fs/promises";
import { attempt } from "../errors/boundary.js";
import { kindlmError } from "../errors/kindlm-error.js";
import { readError, systemCodeOf } from "../files/store-error.js";
import { failure, success, type Result } from "../result.js";
import { nearestName } from "../values/nearest-name.js";
import { baselinePlace, baselinesFolder, placeOfFile, type BaselinePlace } from "./baseline-place.js";
import type { BaselineListing, ShownBaseline } from "./baseline-report.js";
import { loadBaseline, loadBaselineFile } from "./load-baseline.js";

const ending = ".json";

/** The baselines of a project in the order of their files. Fails where their folder cannot be read. */
export async function readListings(root: string): Promise<Result<readonly BaselineListing[]>> {
  const names = await attempt(
    () => readdir(baselinesFolder(root)),
    (cause) => readError(placeOfFile(root, "", "").shown, cause),
  );
  if (!names.success) return systemCodeOf(names.error.cause) === "ENOENT" ? success([]) : names;
  const listings: BaselineListing[] = [];
  for (const file of names.data.filter((name) => name.endsWith(ending)).toSorted()) {
    // One baseline at a time is in memory.
    const listing = await readListing(root, file);
    if (listing !== null) listings.push(listing);
  }
  return success(listings);
}

async function readListing(root: string, file: string): Promise<BaselineListing | null> {
  const place = placeOfFile(root, file.slice(0, -ending.length), file);
  const loaded = await loadBaselineFile(place);
  if (loaded.status === "none") return null;
  const { suite, shown } = place;
  if (loaded.status === "unusable") {
    return { suite, file: shown, header: null, cases: 0, failing: 0, problem: loaded.error };
  }
  const { header, entries } = loaded.baseline;
  const failing = [...entries.values()].filter(({ isPassed }) => !isPassed).length;
  const found = { suite: header.suite, file: shown, header, cases: entries.size, failing };
  const belongs = baselinePlace(root, header.suite);
  if (belongs.path === place.path) return { ...found, problem: null };
  const message = `The baseline ${shown} belongs to suite "${header.suite}", but its file has another name`;
  const details = { suite: header.suite, path: shown, hint: `Rename it to ${belongs.shown}` };
  return { ...found, problem: kindlmError("BASELINE_CORRUPT", message, { details }) };
}

/** One baseline with its cases. Fails with BASELINE_NOT_FOUND, and with what keeps it from being used. */
export async function readShown(root: string, suite: string): Promise<Result<ShownBaseline>> {
  const place = baselinePlace(root, suite);
  const loaded = await loadBaseline(place);
  if (loaded.status === "none") return notFound(root, suite);
  if (loaded.status === "unusable") return failure(loaded.error);
  const { header, entries } = loaded.baseline;
  const cases = [...entries.values()].toSorted((a, b) => (a.caseId < b.caseId ? -1 : 1));
  return success({ file: place.shown, header, cases });
}

/** The files of suites, whatever is in them. Fails with BASELINE_NOT_FOUND where any of them has none. */
export async function findPlaces(root: string, suites: readonly string[]): Promise<Result<readonly BaselinePlace[]>> {
  const places: BaselinePlace[] = [];
  for (const suite of suites) {
    const place = baselinePlace(root, suite);
    const loaded = await loadBaseline(place);
    if (loaded.status === "none") return notFound(root, suite);
    places.push(place);
  }
  return success(places);
}

async function notFound(root: string, suite: string): Promise<Result<never>> {
  const listings = await readListings(root);
  const near = nearestName(suite, listings.success ? listings.data.map((listing) => listing.suite) : []);
  const details = near === null ? { suite } : { suite, similar: near };
  return failure(kindlmError("BASELINE_NOT_FOUND", `Baseline not found for suite "${suite}"`, { details }));
}
