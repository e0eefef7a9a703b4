// A real browser for tests of the console: the one of an npm package, or the one that CHROMIUM_PATH names.

import chromium from "@sparticuz/chromium";
import { type Browser, chromium as driver, type Page } from "playwright-core";
import { waitFor } from "../support/wait-for.ts";

export async function openBrowser(): Promise<Browser> {
  const given = process.env["CHROMIUM_PATH"];
  const executablePath = given ?? (await chromium.executablePath());
  // Not the arguments of the package, which turn off what protects pages from one another.
  const options = { executablePath, args: ["--no-sandbox", "--no-zygote", "--disable-gpu"] };
  const launch = () =>
    driver.launch(options).catch((error: unknown) => {
      // Another test is still unpacking the browser.
      if (String(error).includes("ETXTBSY")) return undefined;
      throw error;
    });
  return waitFor("the browser to be unpacked", launch, { intervalMs: 100 });
}

/** Adds requests to other origins, what the policy of the page forbade, and the errors of scripts, to `faults`. */
export function watchPage(page: Page, origin: string, faults: string[]): void {
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request to ${request.url()}`);
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) faults.push(message.text());
  });
}
