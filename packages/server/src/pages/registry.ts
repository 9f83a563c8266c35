import { comparePage } from "./compare-page.js";
import { findRunPage } from "./find-run-page.js";
import { flakyPage } from "./flaky-page.js";
import { home, signOutForm } from "./home-page.js";
import { login, loginForm } from "./login-page.js";
import type { Action, Page } from "./page.js";
import { reportCase, reportIndex } from "./report-data.js";
import { runPage } from "./run-page.js";
import { trendsPage } from "./trends-page.js";

/** Every page. Those with a tab are in the navigation, in this order. */
export const pages: readonly Page[] = [
  home,
  runPage,
  trendsPage,
  flakyPage,
  comparePage,
  reportIndex,
  reportCase,
  findRunPage,
  login,
];

/** What the forms of the pages do. */
export const actions: readonly Action[] = [loginForm, signOutForm];
