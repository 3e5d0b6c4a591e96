/** A bug put into the source on purpose: each `find` stands in its file exactly `times` times. */
export interface Planted extends Edit {
  name: string;
  also?: Edit[];
}

export interface Edit {
  file: string;
  find: string;
  replace: string;
  times?: number;
}

/** Each of these has lost or doubled somebody's work somewhere; each must turn the power-loss model red. */
export const planted: readonly Planted[] = [
  {
    name: 'no fsync',
    file: 'src/store/write.ts',
    find: '    disk.sync(temporary);\n',
    replace: '',
  },
  {
    name: 'no directory fsync',
    file: 'src/store/write.ts',
    find: 'disk.syncFolder(dirname(path));',
    replace: ';',
    times: 4,
  },
  {
    name: 'outputs not synced',
    file: 'src/store/outputs.ts',
    find: '    disk.sync(join(scratch, path));\n',
    replace: '',
  },
  {
    name: 'mark before result',
    file: 'src/engine/supervise.ts',
    find: '    gate.note(result);\n',
    replace:
      "    gate.note(result);\n    if (result.outcome === 'done' && Object.keys({ ...result.outputs, ...result.fields }).length === 0)\n      await source.file([{ item: run.item, run: run.run, base: { files: {}, fields: {} }, ownBytes: null, fields: {}, day: claim.day }]);\n",
  },
  {
    name: 'owner not exclusive',
    file: 'src/store/batches.ts',
    find: "  putNew(disk, workspace.batch(batch, 'owner.json'), toJson(owner));",
    replace:
      "  (put(disk, workspace.batch(batch, 'owner.json'), toJson(owner)), true);\nimport { put } from './write.ts';",
  },
  {
    name: 'late result overwrites',
    file: 'src/engine/results.ts',
    find: 'if (putNew(disk, `${folder}/result.json`, toJson(result))) return true;',
    replace: 'put(disk, `${folder}/result.json`, toJson(result));\n  if (result) return true;\n',
    also: [
      {
        file: 'src/engine/results.ts',
        find: 'import { makeFolder, putNew,',
        replace: 'import { put, makeFolder, putNew,',
      },
    ],
  },
  {
    name: 'count only in state.md',
    file: 'src/engine/observe.ts',
    find: '  if (newest !== null) {\n    const results',
    replace: '  if (newest === undefined) {\n    const results',
    also: [
      {
        file: 'src/core/plan.ts',
        find: '(claim?.runs.length ?? 0)',
        replace: 'world.ended.flatMap(({ sightings }) => sightings).length',
      },
    ],
  },
  {
    name: 'outputs after the mark',
    file: 'src/engine/commit.ts',
    find: '  for (const path of filing.writes) writeOutput(disk, workspace, result, path, keep);\n',
    replace:
      '  await source.file([toFiling(disk, workspace, result, plan.day)]);\n  for (const path of filing.writes) writeOutput(disk, workspace, result, path, keep);\n',
    also: [
      {
        file: 'src/engine/commit.ts',
        find: 'async function bringOutputs({ disk, workspace, plan, keep }',
        replace: 'async function bringOutputs({ disk, workspace, source, plan, keep }',
      },
    ],
  },
  {
    name: 'filed before text',
    file: 'src/engine/commit.ts',
    find: "  rewriteTick(disk, workspace, { ...record, state: 'closing'",
    replace:
      "  for (const spent of plan.spent) makeFiled(disk, workspace, { v: 1, tick: plan.tick, ...spent });\n  rewriteTick(disk, workspace, { ...record, state: 'closing'",
  },
  {
    name: 'reflection without its marker',
    file: 'src/store/reflections.ts',
    find: '  if (tail?.includes(entry)) return;\n',
    replace: '  if (tail?.length === -1) return;\n',
  },
  {
    name: 'work before its claim is on disk',
    file: 'src/store/batches.ts',
    find: "  return putNew(disk, workspace.batch(claim.batch, 'claim.json'), toJson(claim));",
    replace: "  disk.create(workspace.batch(claim.batch, 'claim.json'), toJson(claim));\n  return true;",
  },
  {
    name: 'a started run taken for one that never started',
    file: 'src/engine/attempt.ts',
    find: '  putNew(disk, `${folder}/base.json`, toJson(base));\n',
    replace: '  disk.create(`${folder}/base.json`, toJson(base));\n',
  },
  {
    name: 'learnings recorded before they are queued',
    file: 'src/engine/commit.ts',
    find: '  const vetoed = await commitState(at, plan.claim); // 9\n  writeRules(at, withVetoes(plan, vetoed)); // 10\n',
    replace: '  writeRules(at, withVetoes(plan, []));\n  await commitState(at, plan.claim);\n',
  },
  {
    name: 'a crash judged again counts again',
    file: 'src/core/plan.ts',
    find: 'before?.done ?? world.state.doneCount',
    replace: 'world.state.doneCount',
  },
  {
    name: 'the queue is cleared before its rules are applied',
    file: 'src/engine/commit.ts',
    find: '  change(at); // 3, 4\n',
    replace: '',
    also: [
      {
        file: 'src/engine/commit.ts',
        find: '  const vetoed = await commitState(at, plan.claim); // 9\n',
        replace: '  const vetoed: string[] = [];\n  await commitState(at, plan.claim);\n  change(at);\n',
      },
      { file: 'src/engine/change.ts', find: 'if (gone !== undefined) throw', replace: "if (gone === 'never') throw" },
    ],
  },
  {
    name: 'ids not in the manifest',
    file: 'src/store/versions.ts',
    find: 'const manifest: Manifest = { v: 1, ...version, settings',
    replace: 'const manifest: Manifest = { v: 1, ...version, applied: [], settings',
  },
  {
    name: 'the manifest before its files',
    file: 'src/store/versions.ts',
    find: '  for (const file of OWNED) put(disk, folder(workspace, n, file), texts[file]);\n',
    replace:
      "  putNew(disk, folder(workspace, n, 'manifest.json'), toJson({ v: 1, ...version, settings: {}, sha256: digests }));\n  for (const file of OWNED) put(disk, folder(workspace, n, file), texts[file]);\n",
    also: [
      {
        file: 'src/store/versions.ts',
        find: "  return putNew(disk, folder(workspace, n, 'manifest.json'), toJson(manifest));",
        replace: '  return manifest.v === 1;',
      },
    ],
  },
  {
    name: 'a rollback restores settings',
    file: 'src/engine/change.ts',
    find: 'const next = merged === null ? null : setBlock(text, merged);',
    replace: `const like = readVersions(disk, workspace, true).find(({ blocks }) => sameLines(blocks[file], merged ?? []));
    const old = like && disk.read(workspace.path('versions', String(like.n).padStart(4, '0'), file));
    const next = merged === null ? null : (old?.toString() ?? setBlock(text, merged));`,
  },
  {
    name: 'taken back in the files before it is marked bad',
    file: 'src/engine/change.ts',
    find: '  for (const { n, bad } of plan.takeBack) markBad(disk, workspace, n, bad);\n  bring(at, baseOf(world, plan), plan.blocks);\n',
    replace:
      '  bring(at, baseOf(world, plan), plan.blocks);\n  for (const { n, bad } of plan.takeBack) markBad(disk, workspace, n, bad);\n',
  },
  {
    name: 'blocks of a killed tick are never finished',
    file: 'src/engine/change.ts',
    find: '  if (bringBlocks(disk, workspace, parent.blocks, version.blocks, () => {})) return finished;\n',
    replace: '  if (version.n > 0) return finished;\n',
  },
  {
    name: 'closed before it is told',
    file: 'src/engine/commit.ts',
    find: '  if (record.entry !== null) appendEntry(disk, workspace, record.day, record.entry);\n',
    replace:
      "  rewriteTick(disk, workspace, { ...record, state: 'closed' });\n  if (record.entry !== null) appendEntry(disk, workspace, record.day, record.entry);\n",
  },
];
