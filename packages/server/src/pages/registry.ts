import { home, signOutForm } from "./home-page.js";
import { login, loginForm } from "./login-page.js";
import type { Action, Page } from "./page.js";

/** Every page. Those with a tab are in the navigation, in this order. */
export const pages: readonly Page[] = [home, login];

/** What the forms of the pages do. */
export const actions: readonly Action[] = [loginForm, signOutForm];
