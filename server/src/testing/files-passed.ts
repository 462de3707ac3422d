// Which files of the product a piece of work passes through: those of which a function was called meanwhile, as the engine counts them.
// Guards: what the test
// runner made to hand out an export is no function of the product; what was loaded before is not passed by that; whatever else the process does meanwhile counts as well, so that nothing else may run.
import { type Profiler, Session } from 'node:inspector/promises';

const SOURCE = /\/server\/src\/(?!testing\/)(?<path>[^?]+(?<!\.test)\.ts)(?:\?.*)?$/;

/** As the test runner hands out what a module exports. */
const EXPORT = /^\(\) => \{ try \{ return [\w.$]+ \} catch \{\} \}$/;

/** In order of their names, below `server/src/`. */
export async function filesPassed(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Debugger.enable');
    const passed = new Set<string>();
    for (const { url, scriptId, functions } of result) {
      const path = SOURCE.exec(url)?.groups?.path;
      if (path === undefined) continue;
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
      const isCalled = ({ startOffset, endOffset, count }: Profiler.CoverageRange) =>
        count > 0 && !EXPORT.test(scriptSource.slice(startOffset, endOffset));
      if (functions.some(({ ranges }) => ranges.some(isCalled))) passed.add(path);
    }
    return [...passed].sort();
  } finally {
    session.disconnect();
  }
}
