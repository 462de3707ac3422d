// What jsdom lacks of a browser, for tests of components: it lays nothing out, so a row is as high as on the screen and
// everything shown counts as visible. Motion is reduced, so that nothing is judged in the middle of a fade.
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeAll } from 'vitest';
import { nearRows } from '../ui/data-table-rows.tsx';

const ROW_PX = 41;

// The page as it stands would be thousands of lines in the message of a test that fails.
configure({
  getElementError: (message) => new Error(message ?? undefined),
  // A busy machine takes its time.
  asyncUtilTimeout: 20_000,
});

// Frames of jsdom come by one interval, which stops for all files of the worker where it began in time that a test had stopped.
window.requestAnimationFrame = (draw) => Number(setTimeout(() => draw(performance.now()), 16));
window.cancelAnimationFrame = (frame) => clearTimeout(frame);

class NoResize implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver = NoResize;

window.matchMedia = (media) =>
  Object.assign(new EventTarget(), {
    media,
    matches: media.includes('prefers-reduced-motion'),
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
  });

Element.prototype.getBoundingClientRect = () => new DOMRect(0, -window.scrollY, 100, ROW_PX);
Object.defineProperties(HTMLElement.prototype, {
  clientWidth: { configurable: true, get: () => 1024 },
  clientHeight: { configurable: true, get: () => 768 },
  scrollHeight: { configurable: true, get: () => 1_000_000 },
  offsetHeight: { configurable: true, get: () => ROW_PX },
  offsetParent: {
    configurable: true,
    get(this: HTMLElement) {
      return this.closest('[hidden]') ? null : this.parentElement;
    },
  },
});

window.scrollTo = (first?: ScrollToOptions | number, y?: number) => {
  const top = typeof first === 'object' ? first.top : y;
  Object.assign(window, { scrollY: top ?? 0, pageYOffset: top ?? 0 });
  queueMicrotask(() => window.dispatchEvent(new Event('scroll')));
};
Element.prototype.scrollIntoView = () => undefined;

// As the program does it on every page: long tables are drawn at once, in whichever order files of tests come.
beforeAll(async () => {
  await nearRows();
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  window.scrollTo(0, 0);
});
