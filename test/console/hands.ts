// How somebody uses the console: with a mouse in a narrow window, by keyboard alone, or without JavaScript. A task is
// written once, in these terms, for all of these ways. What it takes is counted.

import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

export interface Hands {
  readonly page: Page;
  /** Opens a screen by its link in the navigation. */
  open(screen: string): Promise<void>;
  /** Activates the link or the button with this name. */
  press(name: string | RegExp): Promise<void>;
  /** Fills in the field with this label. */
  write(label: string, text: string): Promise<void>;
  /** Chooses an option of the list with this label. */
  choose(label: string, option: string): Promise<void>;
  /** Marks the check box or radio button with this label. */
  mark(label: string): Promise<void>;
  /** Chooses a file for the field with this label. */
  attach(label: string, file: { readonly name: string; readonly text: string }): Promise<void>;
  /** The same hands, in the section with this heading only. */
  within(heading: string): Hands;
  /** Waits until the main part of the page shows this text. */
  see(text: string | RegExp): Promise<void>;
}

/** How much somebody did: links, buttons and boxes that were activated, and fields that were filled in. */
export interface Effort {
  clicks: number;
  fields: number;
}

/** How each is used, and how wide its window is. */
export const ways = { keyboard: 1_280, mouse: 390, "no script": 1_280 } as const;

export type Way = keyof typeof ways;

/** Adds what is done to `effort`. */
export function handsOf(page: Page, way: Way, effort: Effort = { clicks: 0, fields: 0 }): Hands {
  const device = way === "keyboard" ? keyboardOf(page) : mouse;
  // The navigation has a verb of its own.
  return handsIn({ page, device, effort, part: page.locator("main, form.who") });
}

interface Reach {
  readonly page: Page;
  readonly device: Device;
  readonly effort: Effort;
  readonly part: Locator;
}

function handsIn(reach: Reach): Hands {
  const { page, part, device, effort } = reach;
  const click = (element: Locator): Promise<void> => {
    effort.clicks += 1;
    return device.activate(element);
  };
  const entering = (element: Locator): Locator => {
    effort.fields += 1;
    return element;
  };
  return {
    page,
    see: (text) => page.locator("main").getByText(text).first().waitFor(),
    within: (name) => handsIn({ ...reach, part: page.getByRole("region", { name, exact: true }) }),
    open: async (screen) => {
      const menu = page.getByRole("link", { name: "Menu", exact: true });
      if (await menu.isVisible()) await click(menu);
      await click(linkTo(page, screen));
    },
    press: (name) => click(pressable(part, name)),
    mark: (label) => {
      effort.clicks += 1;
      return device.mark(field(part, label));
    },
    write: (label, text) => device.write(entering(field(part, label)), text),
    choose: (label, option) => device.choose(entering(list(part, label)), option),
    attach: (label, file) => device.attach(entering(field(part, label)), inMemory(file)),
  };
}

interface Device {
  activate(element: Locator): Promise<void>;
  write(element: Locator, text: string): Promise<void>;
  choose(element: Locator, option: string): Promise<void>;
  mark(element: Locator): Promise<void>;
  attach(element: Locator, file: ReturnType<typeof inMemory>): Promise<void>;
}

const mouse: Device = {
  activate: (element) => element.click(),
  write: (element, text) => element.fill(text),
  choose: async (element, option) => {
    await element.selectOption({ label: option });
  },
  mark: (element) => element.check(),
  attach: (element, file) => element.setInputFiles(file),
};

function keyboardOf(page: Page): Device {
  const { keyboard } = page;
  // The browser needs a moment to begin asking this process for files instead of a person.
  page.on("filechooser", () => undefined);
  return {
    activate: async (element) => {
      await focus(page, element);
      await keyboard.press("Enter");
    },
    write: async (element, text) => {
      await focus(page, element);
      await keyboard.press("ControlOrMeta+A");
      await keyboard.insertText(text);
    },
    choose: async (element, option) => {
      await focus(page, element);
      await keyboard.type(option);
      const chosen = await page.evaluate("document.activeElement.selectedOptions[0].label");
      assert.equal(chosen, option);
    },
    mark: async (element) => {
      await focus(page, element);
      await keyboard.press("Space");
    },
    attach: async (element, file) => {
      await focus(page, element);
      const asked = page.waitForEvent("filechooser");
      await keyboard.press("Enter");
      await (await asked).setFiles(file);
    },
  };
}

function linkTo(page: Page, screen: string): Locator {
  return page
    .getByRole("navigation", { name: "Screens" })
    .getByRole("link", { name: screen, exact: true });
}

/** What opens details counts as a button. */
function pressable(part: Locator, name: string | RegExp): Locator {
  const named = { name, exact: true };
  return part
    .getByRole("link", named)
    .or(part.getByRole("button", named))
    .or(part.locator("summary").filter({ hasText: name }))
    .first();
}

function field(part: Locator, label: string): Locator {
  return part.getByLabel(label, { exact: true }).first();
}

/** By its role: the text of a label that contains a list has the options in it. */
function list(part: Locator, label: string): Locator {
  return part.getByRole("combobox", { name: label, exact: true }).first();
}

function inMemory({ name, text }: { readonly name: string; readonly text: string }) {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.from(text) };
}

const tabsMax = 200;

/** What is used of an element in the page. */
interface InPage {
  readonly tabIndex: number;
  readonly type?: string;
  readonly ownerDocument: {
    readonly activeElement: InPage | null;
    readonly defaultView: {
      getComputedStyle(element: InPage): { readonly outlineStyle: string };
    };
    querySelectorAll(selector: string): Iterable<InPage>;
  };
  checkVisibility(): boolean;
}

/**
 * Runs in the page. How often Tab can be pressed without passing the element: a group of radio buttons is passed at
 * once, and counts as nothing.
 */
function tabsBefore(element: InPage): number {
  const { ownerDocument } = element;
  const { activeElement } = ownerDocument;
  const stops = [...ownerDocument.querySelectorAll("a[href], :enabled")];
  const ahead = stops.slice(activeElement === null ? 0 : stops.indexOf(activeElement) + 1);
  const between = ahead.slice(0, Math.max(0, ahead.indexOf(element)));
  return between.filter(
    (one) => one.tabIndex === 0 && one.type !== "radio" && one.checkVisibility(),
  ).length;
}

/** Runs in the page. Undefined if the element does not have the focus. */
function outlineOfFocused(element: InPage): string | undefined {
  const { activeElement, defaultView } = element.ownerDocument;
  return activeElement === element ? defaultView.getComputedStyle(element).outlineStyle : undefined;
}

/** Presses Tab until the element has the focus, which has to be visible. */
async function focus(page: Page, element: Locator): Promise<void> {
  // Found once: to find it by its role again after each Tab takes longer than all else.
  const found = await element.elementHandle();
  // Held down for most of the way: to look where the focus is after each Tab would take most of the time.
  const held = (await found?.evaluate<number, InPage>(tabsBefore)) ?? 0;
  await Promise.all(Array.from({ length: held }, () => page.keyboard.down("Tab")));
  for (let presses = 0; presses < tabsMax; presses += 1) {
    await page.keyboard.press("Tab");
    const outline = await found?.evaluate<string | undefined, InPage>(outlineOfFocused);
    if (outline === undefined) continue;
    assert.notEqual(outline, "none", "nobody can see where the focus is");
    return;
  }
  assert.fail(`${String(element)} can't be reached with Tab`);
}
