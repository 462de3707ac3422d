// Moves the styles of the build behind what index.html shows at once: a browser paints what stands before a stylesheet
// without waiting for it, and still runs no module before it is there.
import type { Plugin } from 'vite';

const STYLES = /\s*<link rel="stylesheet"[^>]* href="\/assets\/[^>]*>/g;

export function lateStyles(): Plugin {
  return {
    name: 'late-styles',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const links = html.match(STYLES) ?? [];
        return html.replaceAll(STYLES, '').replace('  </body>', `  ${links.join('').trim()}\n  </body>`);
      },
    },
  };
}
