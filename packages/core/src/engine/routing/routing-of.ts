import type { AssertionResult } from "../../assertions/assertion-result.js";
import type { Route, RoutingTable } from "../../summary/routing-table.js";
import { isRecord } from "../../values/json.js";
import type { SuiteResult } from "../run-result.js";

/** The routes of a case with those of one more trial; null while no trial has a `routes_to`. */
export function addRoutes(
  before: readonly Route[] | null,
  assertions: readonly AssertionResult[],
): readonly Route[] | null {
  const found = assertions.flatMap(readRoute);
  return found.length === 0 ? before : merge([...(before ?? []), ...found]);
}

/** The confusion table of a suite; null if none of its cases has a route. */
export function routingOf({ name: suite, tests }: SuiteResult): RoutingTable | null {
  const routes = merge(tests.flatMap((test) => (test.status === "skipped" ? [] : (test.routes ?? []))));
  if (routes.length === 0) return null;
  const tools = [...new Set(routes.map(({ expected }) => expected))].toSorted(noneLast);
  const rows = tools.map((expected) => {
    const own = routes.filter((route) => route.expected === expected);
    const called = own.map(({ called: tool, trials }) => ({ tool, trials }));
    return { expected, trials: sumOf(own), right: sumOf(own.filter(isRight)), called };
  });
  return { suite, trials: sumOf(routes), right: sumOf(routes.filter(isRight)), rows };
}

function readRoute({ type, expected, actual, skipped, error }: AssertionResult): readonly Route[] {
  if (type !== "routes_to" || skipped === true || error !== undefined) return [];
  const [wanted, called] = [toolIn(expected), toolIn(actual)];
  return wanted === null || called === null ? [] : [{ expected: wanted, called, trials: 1 }];
}

function toolIn(value: unknown): string | null {
  return isRecord(value) && typeof value["tool"] === "string" ? value["tool"] : null;
}

/** One route for each pair of tools, in the order of their names. */
function merge(routes: readonly Route[]): readonly Route[] {
  const byPair = new Map<string, Route>();
  for (const { expected, called, trials } of routes) {
    const pair = JSON.stringify([expected, called]);
    byPair.set(pair, { expected, called, trials: trials + (byPair.get(pair)?.trials ?? 0) });
  }
  return [...byPair.values()].toSorted((a, b) => noneLast(a.expected, b.expected) || noneLast(a.called, b.called));
}

function noneLast(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "none" || b === "none") return a === "none" ? 1 : -1;
  return a < b ? -1 : 1;
}

function isRight({ expected, called }: Route): boolean {
  return expected === called;
}

function sumOf(routes: readonly Pick<Route, "trials">[]): number {
  return routes.reduce((sum, { trials }) => sum + trials, 0);
}
