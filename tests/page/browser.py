"""Opens pages in a headless Chromium, and fails where one is not as it should.

browser.py CHROMIUM check FILE...   each page: console, sort, filter, no script
browser.py CHROMIUM time FILE...    size and time to load, of each
browser.py CHROMIUM shots DIR FILE  light, dark, phone and print, as pictures
"""
import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile


class Browser:
    """The DevTools protocol over a pipe: JSON, each message ends in a NUL."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory()
        to_read, self.write = os.pipe()
        self.read, to_write = os.pipe()
        # The browser expects its ends at 3 and 4.
        self.process = subprocess.Popen(
            ['sh', '-c', f'exec "$@" 3<&{to_read} 4>&{to_write}', 'sh',
             program, '--headless', '--no-sandbox', '--disable-gpu',
             '--disable-dev-shm-usage', '--remote-debugging-pipe',
             f'--user-data-dir={self.profile.name}'],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.events = b'', 0, []
        target = self.call('Target.createTarget', url='about:blank')
        self.session = None
        self.session = self.call('Target.attachToTarget', flatten=True,
                                 targetId=target['targetId'])['sessionId']
        for domain in 'Page', 'Runtime', 'Log', 'Network':
            self.call(domain + '.enable')

    def receive(self):
        while b'\0' not in self.buffer:
            data = os.read(self.read, 1 << 20)
            if not data:
                sys.exit('the browser ended')
            self.buffer += data
        message, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if getattr(self, 'session', None):
            message['sessionId'] = self.session
        os.write(self.write, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.receive()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    sys.exit(f'{method}: {answer["error"]}')
                return answer['result']
            self.events.append(answer)

    def open(self, path):
        """Loads a page; what it complained of, and addresses it asked for."""
        self.events = []
        address = 'file://' + os.path.abspath(path)
        self.call('Page.navigate', url=address)
        while not any(e.get('method') == 'Page.loadEventFired'
                      for e in self.events):
            self.events.append(self.receive())
        self.call('Runtime.evaluate', expression='0')
        bad = []
        for event in self.events:
            method, params = event.get('method'), event.get('params', {})
            if method in ('Runtime.consoleAPICalled',
                          'Runtime.exceptionThrown', 'Log.entryAdded'):
                bad.append(json.dumps(params))
            if method == 'Network.requestWillBeSent' and \
                    params['request']['url'] != address:
                bad.append('asked for ' + params['request']['url'])
        return bad

    def value(self, expression):
        answer = self.call('Runtime.evaluate', expression=expression,
                           returnByValue=True)
        if 'exceptionDetails' in answer:
            sys.exit(f'{expression}: {answer["exceptionDetails"]}')
        return answer['result'].get('value')

    def picture(self, path, whole=True):
        data = self.call('Page.captureScreenshot',
                         captureBeyondViewport=whole)['data']
        with open(path, 'wb') as out:
            out.write(base64.b64decode(data))

    def close(self):
        self.call('Browser.close')
        self.process.wait()
        self.profile.cleanup()


# The column's texts of the first table that sorts, before and after a click.
SORT = '''(() => {
    const head = document.querySelector("th button").parentNode;
    const table = head.closest("table");
    const texts = () => Array.from(table.tBodies[0].rows,
        (r) => r.cells[head.cellIndex].textContent);
    const before = texts();
    head.firstElementChild.click();
    const up = texts(), first = head.getAttribute("aria-sort");
    head.firstElementChild.click();
    return { before, up, down: texts(), first,
        second: head.getAttribute("aria-sort") };
})()'''
FILTER = '''(() => {
    const box = document.querySelector(".filter");
    const input = box.querySelector("input");
    const rows = Array.from(box.nextElementSibling.querySelectorAll(
        "tbody tr"));
    const word = rows[0].cells[1].textContent.toUpperCase();
    input.value = word;
    input.dispatchEvent(new Event("input"));
    const shown = rows.filter((r) => r.offsetParent !== null);
    input.value = "no row has this";
    input.dispatchEvent(new Event("input"));
    return { word, all: rows.length, shown: shown.length,
        right: shown.every((r) => word.split(" ").every((w) =>
            r.textContent.toUpperCase().includes(w))),
        none: rows.filter((r) => r.offsetParent !== null).length,
        said: box.querySelector("[role=status]").textContent };
})()'''


EMPTY = '''Array.from(document.querySelectorAll("section > .table > table"),
    (t) => Array.from(t.tHead.rows[0].cells, (h, i) => Array.from(
    t.tBodies[0].rows, (r) => r.cells[i]?.textContent ?? "").join("")).filter(
    (s) => s === "").length).reduce((a, b) => a + b, 0)'''
COLOURS = '''Array.from(document.querySelectorAll("#differences td")).every((c) =>
    !/^(better|worse)$/.test(c.textContent) || c.matches("." + c.textContent))'''


def expect(what, condition, detail=''):
    if not condition:
        sys.exit(f'{what}: {detail}')


def check(browser, path):
    bad = browser.open(path)
    expect(f'{path}: console or network', not bad, bad)
    for name in 'img', 'link', 'iframe', 'object', 'embed', 'script[src]':
        expect(path, not browser.value(
            f'document.querySelector("{name}") !== null'), name)
    # What a hostile file would have added.
    expect(path, browser.value('typeof injected') == 'undefined', 'injected')
    expect(path, browser.value(
        'Array.from(document.querySelectorAll("*")).every((e) => '
        'e.getAttributeNames().every((n) => !n.startsWith("on")))'),
        'an event handler')
    expect(path, browser.value('document.querySelectorAll('
                               '"body script:not([type])").length') == 1,
           'scripts')
    if browser.value('document.querySelector("th button") !== null'):
        got = browser.value(SORT)
        expect(f'{path}: sort', sorted(got['before']) == sorted(got['up']) ==
               sorted(got['down']) and got['first'] == 'ascending' and
               got['second'] == 'descending', got)
        if len(set(got['before'])) > 1:
            expect(f'{path}: sort', got['up'] != got['down'], got)
    if browser.value('document.querySelectorAll("section > h2").length > 1'):
        got = browser.value(CONTENTS)
        expect(f'{path}: contents', len(got) > 1 and all(got), got)
    expect(f'{path}: columns of nothing', browser.value(EMPTY) == 0)
    expect(f'{path}: verdicts', browser.value(COLOURS))
    if browser.value('document.querySelector(".filter") !== null'):
        got = browser.value(FILTER)
        expect(f'{path}: filter', got['right'] and got['shown'] > 0 and
               got['none'] == 0 and got['said'].startswith('0 of'), got)
    if browser.value('document.querySelector(".values") !== null'):
        browser.value('document.querySelector(".values").parentNode.open = true')
        browser.call('Runtime.evaluate', awaitPromise=True, expression=
                     'new Promise((done) => setTimeout(done, 100))')
        title = browser.value('document.querySelector(".spread title").textContent')
        expect(f'{path}: distribution', 'median' in title, title)
    expect(f'{path}: first columns stay', browser.value(
        'Array.from(document.querySelectorAll("tbody th[scope=row]")).every('
        '(h) => getComputedStyle(h).position === "sticky")'))
    expect(f'{path}: profile', browser.value(
        'Array.from(document.querySelectorAll("tbody th[scope=row]")).every('
        '(h) => h.textContent !== "profile" || h.nextSibling.querySelector('
        '"details pre") !== null)'))
    browser.call('Emulation.setEmulatedMedia', media='print')
    expect(f'{path}: controls in print', browser.value(
        'Array.from(document.querySelectorAll("nav, .filter, '
        'details:not([open])")).every((e) => !e.checkVisibility())'))
    browser.call('Emulation.setEmulatedMedia', media='')
    # Nothing is wider than a phone.
    browser.call('Emulation.setDeviceMetricsOverride', width=390, height=844,
                 deviceScaleFactor=1, mobile=False)
    width = browser.value('document.documentElement.scrollWidth')
    browser.call('Emulation.clearDeviceMetricsOverride')
    expect(f'{path}: at 390 pixels', width <= 390, width)
    browser.call('Emulation.setScriptExecutionDisabled', value=True)
    expect(f'{path}: console', not browser.open(path))
    browser.call('Emulation.setScriptExecutionDisabled', value=False)
    expect(f'{path}: without script', browser.value(
        'document.querySelectorAll("th button, .filter").length') == 0)
    expect(f'{path}: without script', browser.value(
        'Array.from(document.querySelectorAll("section > *, '
        'section > .table tr")).every((e) => e.matches("script") || '
        'e.checkVisibility())'), 'something is hidden')


# What the script adds to hundreds of cells: a figure of the overview leads to
# its row, and that to its cell.
OVERVIEW = '''(() => {
    const cell = document.querySelector(".heat td.better a");
    const row = document.querySelector(cell.getAttribute("href"));
    const link = row.cells[3].querySelector("a");
    link.click();
    const fold = document.querySelector(link.getAttribute("href"));
    return { same: cell.textContent === row.cells[4].textContent,
        text: row.cells[0].textContent, open: fold.open,
        cell: fold.firstChild.textContent,
        tables: document.querySelectorAll(".heat table").length };
})()'''
CONTENTS = '''Array.from(document.querySelectorAll("nav a"), (a) =>
    document.querySelector(a.getAttribute("href")).querySelector("h2")
    .textContent === a.textContent)'''


def check_many(browser, path):
    """A page of 504 cells."""
    browser.open(path)
    got = browser.value(OVERVIEW)
    expect(f'{path}: overview', got['same'] and got['open'] and
           got['tables'] >= 1 and sorted(
               got['text'].replace(' instead of locked', '').split(', ')) ==
           sorted(got['cell'].split(', ')), got)
    pdf = base64.b64decode(browser.call('Page.printToPDF')['data'])
    pages = pdf.count(b'/Type /Page\n') or pdf.count(b'/Type /Page ')
    expect(f'{path}: printed pages', 5 < pages <= 20, pages)


def measure(browser, path):
    """To the end of the load event, and the CPU time of all the browser's
    page's threads for it, which others on the machine cannot stretch."""
    wall, cpu = [], []
    browser.call('Performance.enable')
    for _ in range(7):
        browser.open('/dev/null')
        before = process_time(browser)
        browser.open(path)
        wall.append(browser.value('(() => { const n = performance.'
                                  'getEntriesByType("navigation")[0]; return '
                                  'n.loadEventEnd - n.startTime; })()'))
        cpu.append(1000 * (process_time(browser) - before))
    print(f'{path}: {os.path.getsize(path)} bytes, loaded in '
          f'{statistics.median(wall):.0f} ms ({min(wall):.0f} to '
          f'{max(wall):.0f}), CPU {statistics.median(cpu):.0f} ms '
          f'({min(cpu):.0f} to {max(cpu):.0f})')


def process_time(browser):
    metrics = browser.call('Performance.getMetrics')['metrics']
    return {m['name']: m['value'] for m in metrics}['ProcessTime']


def shots(browser, folder, path):
    for name, width, scheme in (('light', 1280, 'light'),
                                ('dark', 1280, 'dark'), ('phone', 390, 'light')):
        browser.call('Emulation.setDeviceMetricsOverride', width=width,
                     height=1600, deviceScaleFactor=1, mobile=False)
        browser.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': scheme}])
        browser.open(path)
        browser.picture(os.path.join(folder, name + '.png'), False)
    pdf = browser.call('Page.printToPDF', printBackground=True)['data']
    with open(os.path.join(folder, 'print.pdf'), 'wb') as out:
        out.write(base64.b64decode(pdf))


def main():
    browser = Browser(sys.argv[1])
    if sys.argv[2] == 'shots':
        shots(browser, *sys.argv[3:])
    else:
        for path in sys.argv[3:]:
            (check if sys.argv[2] == 'check' else measure)(browser, path)
            if sys.argv[2] == 'check' and os.path.basename(path) == 'many.html':
                check_many(browser, path)
    browser.close()


main()
