/// Names, scales and enumerations of the FIT profile, as far as bodies and activities need them.
///
/// Source: Garmin FIT SDK 21, `Profile.xlsx` (sheet "Messages"); what is missing here is called `unknown_N`.
enum FITProfile {
    /// How a field is read: value = raw / scale + offset, or a time, or a name of an enumeration.
    struct Field: Sendable {
        var name: String
        var scale = 1.0
        var offset = 0.0
        var isTime = false
        var enumeration: String?
    }

    static func messageName(_ number: UInt16) -> String { messageNames[number] ?? "unknown_\(number)" }

    static func field(_ message: UInt16, _ number: UInt8) -> Field {
        if let known = fields[message]?[number] { return known }
        switch number {
        case 253: return Field(name: "timestamp", isTime: true)
        case 254: return Field(name: "message_index")
        default: return Field(name: "unknown_\(number)")
        }
    }

    /// The name of a value of an enumeration, or nil for one that this table does not hold.
    static func name(_ value: Int64, of enumeration: String) -> String? { enumerations[enumeration]?[value] }

    private static let messageNames: [UInt16: String] = Dictionary(
        uniqueKeysWithValues: names.split(whereSeparator: \.isWhitespace).compactMap { entry in
            let parts = entry.split(separator: "=")
            return UInt16(parts[0]).map { ($0, String(parts[1])) }
        })

    private static let fields: [UInt16: [UInt8: Field]] = {
        var table: [UInt16: [UInt8: Field]] = [:]
        for line in fieldTable.split(separator: "\n") {
            let parts = line.split(separator: ":")
            guard parts.count == 2, let message = UInt16(parts[0]) else { continue }
            for entry in parts[1].split(separator: " ") {
                let cells = entry.split(separator: ",")
                guard cells.count >= 2, let number = UInt8(cells[0]) else { continue }
                var field = Field(name: String(cells[1]))
                for option in cells.dropFirst(2) {
                    switch option.first {
                    case "/": field.scale = Double(option.dropFirst()) ?? 1
                    case "-": field.offset = Double(option) ?? 0
                    case "t": field.isTime = true
                    default: field.enumeration = String(option.dropFirst())
                    }
                }
                table[message, default: [:]][number] = field
            }
        }
        return table
    }()

    private static let enumerations: [String: [Int64: String]] = enumerationTable.split(separator: "\n").reduce(
        into: [:]
    ) { tables, line in
        let parts = line.split(separator: ":")
        guard parts.count == 2 else { return }
        var table: [Int64: String] = [:]
        for entry in parts[1].split(separator: " ") {
            let cells = entry.split(separator: "=")
            if cells.count == 2, let value = Int64(cells[0]) { table[value] = String(cells[1]) }
        }
        tables[String(parts[0])] = table
    }

    private static let names = """
        0=file_id 1=capabilities 2=device_settings 3=user_profile 4=hrm_profile 5=sdm_profile 6=bike_profile
        7=zones_target 8=hr_zone 9=power_zone 10=met_zone 12=sport 13=training_settings 15=goal 18=session 19=lap
        20=record 21=event 23=device_info 26=workout 27=workout_step 28=schedule 30=weight_scale 31=course
        32=course_point 33=totals 34=activity 35=software 37=file_capabilities 38=mesg_capabilities
        39=field_capabilities 49=file_creator 51=blood_pressure 53=speed_zone 55=monitoring 72=training_file 78=hrv
        80=ant_rx 81=ant_tx 82=ant_channel_id 101=length 103=monitoring_info 105=pad 106=slave_device
        127=connectivity 128=weather_conditions 129=weather_alert 131=cadence_zone 132=hr 142=segment_lap
        145=memo_glob 148=segment_id 149=segment_leaderboard_entry 150=segment_point 151=segment_file
        158=workout_session 159=watchface_settings 160=gps_metadata 161=camera_event 162=timestamp_correlation
        164=gyroscope_data 165=accelerometer_data 167=three_d_sensor_calibration 169=video_frame 174=obdii_data
        177=nmea_sentence 178=aviation_attitude 184=video 185=video_title 186=video_description 187=video_clip
        188=ohr_settings 200=exd_screen_configuration 201=exd_data_field_configuration
        202=exd_data_concept_configuration 206=field_description 207=developer_data_id 208=magnetometer_data
        209=barometer_data 210=one_d_sensor_calibration 211=monitoring_hr_data 216=time_in_zone 225=set
        227=stress_level 229=max_met_data 258=dive_settings 259=dive_gas 262=dive_alarm 264=exercise_title
        268=dive_summary 269=spo2_data 275=sleep_level 285=jump 289=aad_accel_features 290=beat_intervals
        297=respiration_rate 302=hsa_accelerometer_data 304=hsa_step_data 305=hsa_spo2_data 306=hsa_stress_data
        307=hsa_respiration_data 308=hsa_heart_rate_data 312=split 313=split_summary 314=hsa_body_battery_data
        315=hsa_event 317=climb_pro 319=tank_update 323=tank_summary 346=sleep_assessment 370=hrv_status_summary
        371=raw_bbi 372=device_aux_battery_info 376=hsa_gyroscope_data 398=skin_temp_overnight
        """

    /// `message:number,name[,/scale][,-N = N to subtract][,t = time][,e<enumeration>] …`
    private static let fieldTable = """
        0:0,type,efile 1,manufacturer,emanufacturer 2,product 3,serial_number 4,time_created,t 5,number 8,product_name
        3:0,friendly_name 1,gender,egender 2,age 3,height,/100 4,weight,/10 8,resting_heart_rate 9,default_max_running_heart_rate 10,default_max_biking_heart_rate 11,default_max_heart_rate 28,wake_time 29,sleep_time
        7:1,max_heart_rate 2,threshold_heart_rate 3,functional_threshold_power 5,hr_calc_type 7,pwr_calc_type
        12:0,sport,esport 1,sub_sport,esub_sport 3,name
        18:0,event,eevent 1,event_type,eevent_type 2,start_time,t 3,start_position_lat 4,start_position_long 5,sport,esport 6,sub_sport,esub_sport 7,total_elapsed_time,/1000 8,total_timer_time,/1000 9,total_distance,/100 10,total_cycles 11,total_calories 13,total_fat_calories 14,avg_speed,/1000 15,max_speed,/1000 16,avg_heart_rate 17,max_heart_rate 18,avg_cadence 19,max_cadence 20,avg_power 21,max_power 22,total_ascent 23,total_descent 24,total_training_effect,/10 25,first_lap_index 26,num_laps 27,event_group 28,trigger 34,normalized_power 35,training_stress_score,/10 36,intensity_factor,/1000 45,threshold_power 48,total_work 57,avg_temperature 58,max_temperature 64,min_heart_rate 124,enhanced_avg_speed,/1000 125,enhanced_max_speed,/1000
        19:0,event,eevent 1,event_type,eevent_type 2,start_time,t 3,start_position_lat 4,start_position_long 5,end_position_lat 6,end_position_long 7,total_elapsed_time,/1000 8,total_timer_time,/1000 9,total_distance,/100 10,total_cycles 11,total_calories 12,total_fat_calories 13,avg_speed,/1000 14,max_speed,/1000 15,avg_heart_rate 16,max_heart_rate 17,avg_cadence 18,max_cadence 19,avg_power 20,max_power 21,total_ascent 22,total_descent 23,intensity 24,lap_trigger 25,sport,esport 33,normalized_power 39,sub_sport,esub_sport 41,total_work 63,min_heart_rate 110,enhanced_avg_speed,/1000 111,enhanced_max_speed,/1000
        20:0,position_lat 1,position_long 2,altitude,/5,-500 3,heart_rate 4,cadence 5,distance,/100 6,speed,/1000 7,power 8,compressed_speed_distance 9,grade,/100 10,resistance 11,time_from_course,/1000 12,cycle_length,/100 13,temperature 17,speed_1s,/16 18,cycles 19,total_cycles 28,compressed_accumulated_power 29,accumulated_power 30,left_right_balance 31,gps_accuracy 32,vertical_speed,/1000 33,calories 39,vertical_oscillation,/10 40,stance_time_percent,/100 41,stance_time,/10 42,activity_type,eactivity_type 43,left_torque_effectiveness,/2 44,right_torque_effectiveness,/2 45,left_pedal_smoothness,/2 46,right_pedal_smoothness,/2 47,combined_pedal_smoothness,/2 48,time128,/128 49,stroke_type 50,zone 52,cadence256,/256 53,fractional_cadence,/128 62,device_index 73,enhanced_speed,/1000 78,enhanced_altitude,/5,-500 81,battery_soc,/2 82,motor_power 83,vertical_ratio,/100 84,stance_time_balance,/100 85,step_length,/10 99,respiration_rate 108,enhanced_respiration_rate,/100 136,wrist_heart_rate 143,core_temperature,/100
        21:0,event,eevent 1,event_type,eevent_type 2,data16 3,data 4,event_group 7,score 8,opponent_score 13,device_index
        23:0,device_index 1,device_type 2,manufacturer,emanufacturer 3,serial_number 4,product 5,software_version,/100 6,hardware_version 7,cum_operating_time 10,battery_voltage,/256 11,battery_status 18,sensor_position 19,descriptor 20,ant_transmission_type 21,ant_device_number 22,ant_network 25,source_type 27,product_name
        26:4,sport,esport 5,capabilities 6,num_valid_steps 8,wkt_name
        34:0,total_timer_time,/1000 1,num_sessions 2,type 3,event,eevent 4,event_type,eevent_type 5,local_timestamp 6,event_group
        49:0,software_version 1,hardware_version
        55:0,device_index 1,calories 2,distance,/100 3,cycles,/2 4,active_time,/1000 5,activity_type,eactivity_type 6,activity_subtype 7,activity_level 8,distance_16 9,cycles_16 10,active_time_16 11,local_timestamp 12,temperature,/100 14,temperature_min,/100 15,temperature_max,/100 16,activity_time 19,active_calories 24,current_activity_type_intensity 25,timestamp_min_8 26,timestamp_16 27,heart_rate 28,intensity,/10 29,duration_min 30,duration 31,ascent,/1000 32,descent,/1000 33,moderate_activity_minutes 34,vigorous_activity_minutes
        78:0,time,/1000
        101:0,event,eevent 1,event_type,eevent_type 2,start_time,t 3,total_elapsed_time,/1000 4,total_timer_time,/1000 5,total_strokes 6,avg_speed,/1000 7,swim_stroke 9,avg_swimming_cadence 10,event_group 11,total_calories 12,length_type
        103:0,local_timestamp 1,activity_type,eactivity_type 3,cycles_to_distance,/5000 4,cycles_to_calories,/5000 5,resting_metabolic_rate
        132:0,fractional_timestamp,/32768 1,time256,/256 6,filtered_bpm 9,event_timestamp,/1024 10,event_timestamp_12
        206:0,developer_data_index 1,field_definition_number 2,fit_base_type_id 3,field_name 4,array 5,components 6,scale 7,offset 8,units 9,bits 10,accumulate 13,fit_base_unit_id 14,native_mesg_num 15,native_field_num
        207:0,developer_id 1,application_id 2,manufacturer_id 3,developer_data_index 4,application_version
        211:0,resting_heart_rate 1,current_day_resting_heart_rate
        227:0,stress_level_value 1,stress_level_time,t
        275:0,sleep_level
        290:0,timestamp_ms 1,time
        297:0,respiration_rate,/100
        370:0,weekly_average,/128 1,last_night_average,/128 2,last_night_5_min_high,/128 3,baseline_low_upper,/128 4,baseline_balanced_lower,/128 5,baseline_balanced_upper,/128 6,status
        371:0,value,/128
        """

    private static let enumerationTable = """
        file:1=device 2=settings 3=sport 4=activity 5=workout 6=course 7=schedules 9=weight 10=totals 11=goals 14=blood_pressure 15=monitoring_a 20=activity_summary 28=monitoring_daily 32=monitoring_b 34=segment 35=segment_list 40=exd_configuration
        manufacturer:1=garmin 6=srm 7=quarq 9=saris 13=dynastream_oem 15=dynastream 23=suunto 32=wahoo_fitness 38=osynce 40=concept2 63=specialized 69=stages_cycling 89=tacx 123=polar_electro 255=development 260=zwift 263=favero_electronics 267=bryton 289=hammerhead 294=coros
        gender:0=female 1=male
        event:0=timer 3=workout 4=workout_step 5=power_down 6=power_up 7=off_course 8=session 9=lap 10=course_point 11=battery 12=virtual_partner_pace 13=hr_high_alert 14=hr_low_alert 21=recovery_hr 22=battery_low 26=activity 27=fitness_equipment 28=length 32=user_marker 33=sport_point 36=calibration 42=front_gear_change 43=rear_gear_change 44=rider_position_change 75=radar_threat_alert
        event_type:0=start 1=stop 2=consecutive_depreciated 3=marker 4=stop_all 5=begin_depreciated 6=end_depreciated 7=end_all_depreciated 8=stop_disable 9=stop_disable_all
        activity_type:0=generic 1=running 2=cycling 3=transition 4=fitness_equipment 5=swimming 6=walking 8=sedentary 254=all
        sport:0=generic 1=running 2=cycling 3=transition 4=fitness_equipment 5=swimming 6=basketball 7=soccer 8=tennis 9=american_football 10=training 11=walking 12=cross_country_skiing 13=alpine_skiing 14=snowboarding 15=rowing 16=mountaineering 17=hiking 18=multisport 19=paddling 20=flying 21=e_biking 22=motorcycling 23=boating 24=driving 25=golf 26=hang_gliding 27=horseback_riding 28=hunting 29=fishing 30=inline_skating 31=rock_climbing 32=sailing 33=ice_skating 34=sky_diving 35=snowshoeing 36=snowmobiling 37=stand_up_paddleboarding 38=surfing 39=wakeboarding 40=water_skiing 41=kayaking 42=rafting 43=windsurfing 44=kitesurfing 47=boxing 48=floor_climbing 53=diving 62=hiit 64=racket 254=all
        sub_sport:0=generic 1=treadmill 2=street 3=trail 4=track 5=spin 6=indoor_cycling 7=road 8=mountain 9=downhill 10=recumbent 11=cyclocross 12=hand_cycling 13=track_cycling 14=indoor_rowing 15=elliptical 16=stair_climbing 17=lap_swimming 18=open_water 19=flexibility_training 20=strength_training 21=warm_up 22=match 23=exercise 24=challenge 25=indoor_skiing 26=cardio_training 27=indoor_walking 28=e_bike_fitness 29=bmx 30=casual_walking 31=speed_walking 43=yoga 44=pilates 45=indoor_running 46=gravel_cycling 47=e_bike_mountain 48=commuting 49=mixed_surface 58=virtual_activity 59=obstacle 62=breathing 65=ultra 67=track_run 254=all
        """
}
