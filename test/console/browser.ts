// A real browser for tests of the console: the one of an npm package, or the one that CHROMIUM_PATH names.

import chromium from "@sparticuz/chromium";
import { type Browser, chromium as driver } from "playwright-core";

export async function openBrowser(): Promise<Browser> {
  const given = process.env["CHROMIUM_PATH"];
  const executablePath = given ?? (await chromium.executablePath());
  // Not the arguments of the package, which turn off what protects pages from one another.
  return driver.launch({ executablePath, args: ["--no-sandbox", "--no-zygote", "--disable-gpu"] });
}
