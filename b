{
  "cases": [
    {
      "case": "disk_seq",
      "checkpoints": {
        "ops": [
          4608,
          9216,
          13824,
          18432,
          23040,
          27648,
          32256
        ],
        "pgfault": {
          "error": [
            0.0,
            0.0,
            0.00021687269572760788,
            0.0015628368182798017,
            0.0027542281705900075,
            0.004122454832234012,
            0.0059576820317538311
          ],
          "kernel": [
            [
              4609,
              4609,
              4609
            ],
            [
              9217,
              9217,
              9217
            ],
            [
              13828,
              13833,
              13929
            ],
            [
              18462,
              18556,
              18563
            ],
            [
              23105,
              23237,
              23430
            ],
            [
              27764,
              27896,
              28225
            ],
            [
              32451,
              32563,
              32979
            ]
          ],
          "refault": [
            4609,
            9217,
            13825,
            18433,
            23041,
            27649,
            32257
          ]
        },
        "pgmajfault": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              194,
              194,
              194
            ],
            [
              770,
              770,
              770
            ],
            [
              1346,
              1346,
              1346
            ],
            [
              1924,
              1924,
              1924
            ],
            [
              2500,
              2500,
              2500
            ]
          ],
          "refault": [
            0,
            0,
            194,
            770,
            1346,
            1924,
            2500
          ]
        },
        "pgscan_anon": {
          "error": [
            0.0,
            0.004349577124446234,
            0.0042299971322053345,
            0.0082898877459959604,
            0.0010522106946695006,
            0.0011679835108210238,
            0.0020203488372093023
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              12410,
              12415,
              12425
            ],
            [
              27791,
              27896,
              27924
            ],
            [
              42571,
              42582,
              42592
            ],
            [
              47461,
              47519,
              47531
            ],
            [
              58151,
              58220,
              58240
            ],
            [
              68761,
              68800,
              68865
            ]
          ],
          "refault": [
            0,
            12356,
            27673,
            42945,
            47581,
            58308,
            69004
          ]
        },
        "pgsteal_anon": {
          "error": [
            0.0,
            0.0016061676839061998,
            0.00012963443090484831,
            0.00032367697038355721,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              3101,
              3113,
              3115
            ],
            [
              7714,
              7714,
              7742
            ],
            [
              12321,
              12358,
              12371
            ],
            [
              16949,
              16962,
              16970
            ],
            [
              21558,
              21572,
              21591
            ],
            [
              26142,
              26148,
              26171
            ]
          ],
          "refault": [
            0,
            3096,
            7713,
            12317,
            16953,
            21561,
            26150
          ]
        },
        "pswpin": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              1536,
              1536,
              1536
            ],
            [
              6144,
              6144,
              6144
            ],
            [
              10752,
              10752,
              10752
            ],
            [
              15360,
              15360,
              15360
            ],
            [
              19968,
              19968,
              19968
            ]
          ],
          "refault": [
            0,
            0,
            1536,
            6144,
            10752,
            15360,
            19968
          ]
        },
        "pswpout": {
          "error": [
            0.0,
            0.011638880150990877,
            0.015212471712345989,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              3166,
              3179,
              3183
            ],
            [
              7852,
              7954,
              7961
            ],
            [
              12288,
              12288,
              12288
            ],
            [
              12288,
              12288,
              12288
            ],
            [
              12288,
              12288,
              12288
            ],
            [
              12288,
              12288,
              12288
            ]
          ],
          "refault": [
            0,
            3129,
            7731,
            12288,
            12288,
            12288,
            12288
          ]
        },
        "swap_ra": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              1342,
              1342,
              1342
            ],
            [
              5374,
              5374,
              5374
            ],
            [
              9406,
              9406,
              9406
            ],
            [
              13436,
              13436,
              13436
            ],
            [
              17468,
              17468,
              17468
            ]
          ],
          "refault": [
            0,
            0,
            1342,
            5374,
            9406,
            13436,
            17468
          ]
        },
        "swap_ra_hit": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              1342,
              1342,
              1342
            ],
            [
              5374,
              5374,
              5374
            ],
            [
              9406,
              9406,
              9406
            ],
            [
              13436,
              13436,
              13436
            ],
            [
              17468,
              17468,
              17468
            ]
          ],
          "refault": [
            0,
            0,
            1342,
            5374,
            9406,
            13436,
            17468
          ]
        },
        "swpin_zero": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ]
          ],
          "refault": [
            0,
            0,
            0,
            0,
            0,
            0,
            0
          ]
        },
        "swpout_zero": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ]
          ],
          "refault": [
            0,
            0,
            0,
            0,
            0,
            0,
            0
          ]
        },
        "workingset_activate_anon": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ]
          ],
          "refault": [
            0,
            0,
            0,
            0,
            0,
            0,
            0
          ]
        },
        "workingset_refault_anon": {
          "error": [
            0.0,
            0.0,
            0.0019569471624266144,
            0.00016283992835043154,
            0.0,
            0.00019536337587913518,
            0.00015027801432650404
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              1533,
              1533,
              1533
            ],
            [
              6139,
              6141,
              6143
            ],
            [
              10749,
              10750,
              10752
            ],
            [
              15355,
              15356,
              15357
            ],
            [
              19962,
              19963,
              19965
            ]
          ],
          "refault": [
            0,
            0,
            1536,
            6144,
            10752,
            15360,
            19968
          ]
        },
        "zswap_pool_total_size": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ]
          ],
          "refault": [
            0,
            0,
            0,
            0,
            0,
            0,
            0
          ]
        },
        "zswap_stored_pages": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ]
          ],
          "refault": [
            0,
            0,
            0,
            0,
            0,
            0,
            0
          ]
        },
        "zswpin": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ]
          ],
          "refault": [
            0,
            0,
            0,
            0,
            0,
            0,
            0
          ]
        },
        "zswpout": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ]
          ],
          "refault": [
            0,
            0,
            0,
            0,
            0,
            0,
            0
          ]
        },
        "zswpwb": {
          "error": [
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0,
            0.0
          ],
          "kernel": [
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ],
            [
              0,
              0,
              0
            ]
          ],
          "refault": [
            0,
            0,
            0,
            0,
            0,
            0,
            0
          ]
        }
      },
      "counters": {
        "final_present": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            6060,
            6076,
            6115
          ],
          "refault": 6105,
          "spread": 0.0090520078999341679,
          "state": "judged"
        },
        "final_swapped": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            6173,
            6212,
            6228
          ],
          "refault": 6183,
          "spread": 0.0088538312942691572,
          "state": "judged"
        },
        "memcg.zswap": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "memcg.zswapped": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "memory.current": {
          "error": 0.0036112934996717005,
          "judged": false,
          "kernel": [
            24928256,
            24952832,
            25018368
          ],
          "refault": 25108480,
          "spread": 0.0036112934996717005,
          "state": "shown"
        },
        "memory.events.max": {
          "error": 0.0073126142595978062,
          "judged": false,
          "kernel": [
            546,
            547,
            553
          ],
          "refault": 542,
          "spread": 0.012797074954296161,
          "state": "shown"
        },
        "memory.swap.current": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            50331648,
            50331648,
            50331648
          ],
          "refault": 50331648,
          "spread": 0.0,
          "state": "judged"
        },
        "vmstat.pgactivate": {
          "error": 0.10000000000000001,
          "judged": true,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 5,
          "spread": 0.0,
          "state": "judged"
        },
        "vmstat.pgdeactivate": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.pgfault": {
          "error": 0.0069535801541063709,
          "judged": true,
          "kernel": [
            37124,
            37247,
            37721
          ],
          "refault": 36865,
          "spread": 0.0160281364942143,
          "state": "judged"
        },
        "vmstat.pgmajfault": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            3076,
            3076,
            3076
          ],
          "refault": 3076,
          "spread": 0.0,
          "state": "judged"
        },
        "vmstat.pgreuse": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.pgrotated": {
          "error": 0.01996173999833652,
          "judged": false,
          "kernel": [
            11972,
            12023,
            12048
          ],
          "refault": 12288,
          "spread": 0.006321217666139899,
          "state": "shown"
        },
        "vmstat.pgscan_anon": {
          "error": 0.004410893647052893,
          "judged": true,
          "kernel": [
            79300,
            79349,
            79380
          ],
          "refault": 79730,
          "spread": 0.0010082042621835183,
          "state": "judged"
        },
        "vmstat.pgsteal_anon": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            30749,
            30788,
            30804
          ],
          "refault": 30759,
          "spread": 0.0017864102897232688,
          "state": "judged"
        },
        "vmstat.pswpin": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            24576,
            24576,
            24576
          ],
          "refault": 24576,
          "spread": 0.0,
          "state": "judged"
        },
        "vmstat.pswpout": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            12288,
            12288,
            12288
          ],
          "refault": 12288,
          "spread": 0.0,
          "state": "judged"
        },
        "vmstat.swap_ra": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            21500,
            21500,
            21500
          ],
          "refault": 21500,
          "spread": 0.0,
          "state": "judged"
        },
        "vmstat.swap_ra_hit": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            21500,
            21500,
            21500
          ],
          "refault": 21500,
          "spread": 0.0,
          "state": "judged"
        },
        "vmstat.swpin_zero": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.swpout_zero": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.thp_fault_alloc": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.thp_fault_fallback": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.thp_fault_fallback_charge": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.thp_split_pmd": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.thp_swpout": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.workingset_activate_anon": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.workingset_refault_anon": {
          "error": 0.0,
          "judged": true,
          "kernel": [
            24576,
            24576,
            24576
          ],
          "refault": 24576,
          "spread": 0.0,
          "state": "judged"
        },
        "vmstat.workingset_restore_anon": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.zswpin": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.zswpout": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "vmstat.zswpwb": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.duplicate_entry": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.pool_limit_hit": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.pool_total_size": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.reject_alloc_fail": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.reject_compress_poor": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.reject_kmemcache_fail": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.reject_reclaim_fail": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.same_filled_pages": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.stored_pages": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        },
        "zswap.written_back_pages": {
          "error": 0.0,
          "judged": false,
          "kernel": [
            0,
            0,
            0
          ],
          "refault": 0,
          "spread": 0.0,
          "state": "empty"
        }
      },
      "errors": {
        "judged": 13,
        "median": 0.0,
        "p90": 0.0069535801541063709,
        "worst": 0.0,
        "worst_at": "",
        "worst_of_all": 0.10000000000000001,
        "worst_of_all_at": "disk_seq vmstat.pgactivate"
      },
      "failure": "",
      "final_present_equal": 0.996337890625,
      "kernel": "6.1",
      "kernel_oom": false,
      "ok": true,
      "outcome": "done"
    }
  ],
  "passed": true,
  "summary": {
    "6.1": {
      "cases": 1,
      "failed_cases": 0,
      "judged": 13,
      "median": 0.0,
      "p90": 0.0069535801541063709,
      "passed": true,
      "worst": 0.0,
      "worst_at": "",
      "worst_of_all": 0.10000000000000001,
      "worst_of_all_at": "disk_seq vmstat.pgactivate",
      "zr": {
        "judged": 0,
        "median": 0.0,
        "p90": 0.0,
        "worst": 0.0,
        "worst_at": "",
        "worst_of_all": 0.0,
        "worst_of_all_at": ""
      }
    }
  }
}
