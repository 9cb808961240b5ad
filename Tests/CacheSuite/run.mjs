// Runs the public suite of cache tests against an agent: node Tests/CacheSuite/run.mjs SUITE PROGRAM [ID]
//
// SUITE is a copy of the repository http-tests/cache-tests, PROGRAM the product cache-suite of this package, which sends by an
// agent what the suite fetches. Its server listens on 127.0.0.1. Prints a table, and each test that fails with its reason.
import { spawn } from 'node:child_process'
import net from 'node:net'
import readline from 'node:readline'
import { pathToFileURL } from 'node:url'

const [suite, program, only] = process.argv.slice(2)
const load = path => import(pathToFileURL(`${suite}/${path}`))
const port = '8123'
Object.assign(process.env, {
  npm_config_protocol: 'http', npm_config_port: port, npm_config_pidfile: `/tmp/cache-suite-${process.pid}.pid`
})
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (port) { return listen.call(this, Number(port), '127.0.0.1') }
await load('test-engine/server/server.mjs')

const agent = spawn(program, [], { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
let last = 0
readline.createInterface({ input: agent.stdout }).on('line', line => {
  const answer = JSON.parse(line)
  const resolve = waiting.get(answer.id)
  waiting.delete(answer.id)
  // What a dispatch throws for a server that does not answer is told as a proxy tells it.
  if (answer.failure) answer.status = 504
  const headers = new Headers()
  for (const [name, value] of answer.headers) headers.append(name, value)
  resolve({ status: answer.status, headers, text: async () => answer.body })
})
const direct = fetch
globalThis.fetch = (url, init = {}) => {
  if (!url.includes('/test/')) return direct(url, init)
  const message = { id: ++last, url, method: init.method || 'GET', headers: init.headers, body: init.body || '' }
  // As the Fetch standard has it for a reload.
  if (init.cache === 'no-cache') message.headers.push(['Cache-Control', 'max-age=0'])
  return new Promise(resolve => {
    waiting.set(message.id, resolve)
    agent.stdin.write(JSON.stringify(message) + '\n')
  })
}

const { runTests, getResults } = await load('test-engine/client/runner.mjs')
const { determineTestResult, resultTypes } = await load('test-engine/lib/results.mjs')
const suites = (await load('tests/index.mjs')).default
const tests = suites.flatMap(suite => suite.tests).filter(test => !test.cdn_only && (!only || test.id === only))
if (only) tests.forEach(test => { test.dump = true })
const group = test => test.browser_skip ? 'skipped by browsers' : test.kind || 'required'
const base = `http://127.0.0.1:${port}`
await runTests([{ tests: tests.filter(test => !test.browser_skip) }], true, base)
await runTests([{ tests: tests.filter(test => test.browser_skip) }], false, base)
agent.stdin.end()

const counts = {}
for (const test of tests) {
  const name = group(test)
  counts[name] ||= { passed: 0, 'with what it depends on': 0, of: 0 }
  counts[name].of += 1
  const own = getResults()[test.id] === true
  const result = determineTestResult(suites, test.id, getResults(), true)
  if (own) counts[name].passed += 1
  if (result === resultTypes.pass || result === resultTypes.yes) counts[name]['with what it depends on'] += 1
  if (!own) console.log(`${name}: ${test.id}: ${getResults()[test.id]}`)
}
console.table(counts)
process.exit(0)
