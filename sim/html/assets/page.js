(function () {
  'use strict';
  var data = JSON.parse(document.getElementById('data').textContent);

  function digits(v) {
    return v >= 100 || v === 0 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2);
  }
  function scaled(v, steps) {
    for (var i = 0; i < steps.length - 1; i++)
      if (v >= steps[i][0]) break;
    return digits(v / steps[i][0]) + ' ' + steps[i][1];
  }
  function text(v, unit) {
    if (v === null) return '-';
    switch (unit) {
    case 'bytes': return scaled(v, [[1073741824, 'GiB'], [1048576, 'MiB'], [1024, 'KiB'], [1, 'B']]);
    case 'time': return scaled(v, [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']]);
    case 'percent': return digits(v) + ' %';
    case 'per_second': return digits(v) + '/s';
    case 'count': return String(Math.round(v));
    default: return String(+v.toPrecision(6));
    }
  }

  var nav = document.querySelector('nav');
  document.querySelectorAll('section').forEach(function (s) {
    if (!s.querySelector('.grid').children.length && !s.querySelector('table')) {
      s.hidden = true;
      return;
    }
    var a = document.createElement('a');
    a.href = '#' + s.id;
    a.textContent = s.querySelector('h2').textContent;
    nav.appendChild(a);
  });

  /* ---- readouts: the pointer, or the arrow keys ---- */
  function chart(svg) {
    var c = data.charts[svg.dataset.chart], d = svg.dataset, heat = c.kind === 'heat';
    var left = +d.left, right = +d.right, top = +d.top, bottom = +d.bottom;
    var cursor = svg.querySelector('.cursor'), out = svg.parentNode.querySelector('output');
    var at = -1, row = 0;
    var x0 = +d.x0, x1 = +d.x1, log = d.log === '1';

    function place(v) {
      var t = log ? Math.log(v / x0) / Math.log(x1 / x0) : (v - x0) / (x1 - x0);
      return left + (right - left) * t;
    }
    function showLine() {
      var x = place(c.x[at]).toFixed(1);
      cursor.setAttribute('d', 'M' + x + ' ' + top + 'V' + bottom);
      out.textContent = (c.x_names ? c.x_names[at] : text(c.x[at], c.x_unit)) + ': ' + c.lines.map(function (l) {
        return l.name + ' ' + text(l.y[at], c.y_unit);
      }).join(', ');
    }
    function showCell() {
      var w = (right - left) / c.columns, h = (bottom - top) / c.rows;
      var i = at * c.rows + row, share = c.resident_percent[i];
      cursor.setAttribute('d', 'M' + (left + at * w) + ' ' + (bottom - (row + 1) * h) + 'h' + w +
        'v' + h + 'h' + -w + 'z');
      out.textContent = c.row_names[row] + ', ' + c.pages_per_row + ' pages, ' +
        text(c.times_ns[at], 'time') + ' to ' + text(c.times_ns[at + 1], 'time') + ': ' +
        c.accesses[i] + ' accesses, ' + (share < 0 ? 'not in use' : share + ' % resident');
    }
    function move(i, r) {
      var last = heat ? Math.min(c.columns, c.times_ns.length - 1) - 1 : c.x.length - 1;
      at = Math.max(0, Math.min(last, i));
      if (heat) {
        row = Math.max(0, Math.min(c.rows - 1, r));
        showCell();
      } else {
        showLine();
      }
    }
    function nearest(x) {
      var best = 0;
      for (var i = 1; i < c.x.length; i++)
        if (Math.abs(place(c.x[i]) - x) < Math.abs(place(c.x[best]) - x)) best = i;
      return best;
    }
    function point(e) {
      var box = svg.getBoundingClientRect();
      var x = (e.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
      var y = (e.clientY - box.top) * svg.viewBox.baseVal.height / box.height;
      if (x < left - 4 || x > right + 4) return;
      if (heat)
        move(Math.floor((x - left) / (right - left) * c.columns),
          Math.floor((bottom - y) / (bottom - top) * c.rows));
      else
        move(nearest(x));
    }
    svg.addEventListener('pointermove', point);
    svg.addEventListener('pointerdown', point);
    svg.addEventListener('keydown', function (e) {
      var step = e.shiftKey ? 10 : 1, i = at, r = row;
      if (e.key === 'ArrowRight') i += step;
      else if (e.key === 'ArrowLeft') i -= step;
      else if (e.key === 'Home') i = 0;
      else if (e.key === 'End') i = 1e9;
      else if (heat && e.key === 'ArrowUp') r += step;
      else if (heat && e.key === 'ArrowDown') r -= step;
      else return;
      e.preventDefault();
      move(i, r);
    });
    svg.addEventListener('focus', function () {
      if (at < 0 && svg.matches(':focus-visible')) move(0, 0);
    });
  }
  document.querySelectorAll('svg[data-chart]').forEach(chart);

  document.querySelectorAll('[data-layer]').forEach(function (box) {
    box.addEventListener('change', function () {
      box.closest('figure').classList.toggle('hide-' + box.dataset.layer, !box.checked);
    });
  });

  /* ---- one of several groups of charts ---- */
  document.querySelectorAll('select[data-groups]').forEach(function (select) {
    function choose() {
      document.querySelectorAll('[data-group]').forEach(function (g) {
        g.hidden = g.dataset.group !== select.value;
      });
    }
    select.parentNode.hidden = false;
    select.addEventListener('change', choose);
    choose();
  });

  /* ---- tables ---- */
  document.querySelectorAll('th button').forEach(function (button) {
    var th = button.parentNode, head = th.parentNode, column = th.cellIndex;
    button.addEventListener('click', function () {
      var body = head.parentNode.parentNode.tBodies[0], rows = Array.from(body.rows);
      var up = th.getAttribute('aria-sort') !== 'ascending', sign = up ? 1 : -1;
      Array.from(head.cells).forEach(function (c) { c.removeAttribute('aria-sort'); });
      th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      rows.sort(function (a, b) {
        var x = a.cells[column], y = b.cells[column];
        if (x.dataset.value !== undefined && y.dataset.value !== undefined)
          return sign * (x.dataset.value - y.dataset.value);
        return sign * x.textContent.localeCompare(y.textContent);
      });
      rows.forEach(function (r) { body.appendChild(r); });
    });
  });
  document.querySelectorAll('[data-filter]').forEach(function (input) {
    var rows = document.getElementById(input.dataset.filter).tBodies[0].rows;
    input.addEventListener('input', function () {
      var want = input.value.toLowerCase();
      Array.from(rows).forEach(function (r) {
        r.hidden = r.textContent.toLowerCase().indexOf(want) < 0;
      });
    });
  });
}());
